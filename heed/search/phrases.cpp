#include "heed/search/phrases.h"

#include <algorithm>

namespace heed {
namespace {

/// The length of the longest proper beginning of `phrase` that `words` ends with.
size_t begun_of(std::span<const int32_t> words, const std::vector<int32_t>& phrase) {
  for (size_t length = std::min(phrase.size() - 1, words.size()); length > 0; --length) {
    if (std::equal(phrase.begin(), phrase.begin() + static_cast<std::ptrdiff_t>(length),
                   words.end() - static_cast<std::ptrdiff_t>(length))) {
      return length;
    }
  }
  return 0;
}

/// The incomplete phrase with the longest beginning, the first of equals; their number if all are
/// complete.
size_t furthest(const PhraseProgress& progress) {
  size_t best = progress.is_complete.size();
  for (size_t p = 0; p < progress.is_complete.size(); ++p) {
    if (!progress.is_complete[p] &&
        (best == progress.is_complete.size() || progress.begun[p] > progress.begun[best])) {
      best = p;
    }
  }
  return best;
}

}  // namespace

PhraseProgress progress_of(std::span<const int32_t> words,
                           std::span<const std::vector<int32_t>> phrases) {
  PhraseProgress progress;
  for (const auto& phrase : phrases) {
    const bool is_complete =
        std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end();
    progress.is_complete.push_back(is_complete);
    progress.begun.push_back(is_complete ? 0 : begun_of(words, phrase));
    progress.words += is_complete ? phrase.size() : 0;
    progress.missing += is_complete ? 0 : phrase.size();
  }
  const size_t first = furthest(progress);
  if (first < phrases.size()) {
    progress.words += progress.begun[first];
    progress.missing -= progress.begun[first];
  }
  return progress;
}

std::vector<int32_t> words_onward(const PhraseProgress& progress,
                                  std::span<const std::vector<int32_t>> phrases) {
  std::vector<int32_t> words;
  for (size_t p = 0; p < phrases.size(); ++p) {
    if (!progress.is_complete[p]) {
      const int32_t word = phrases[p][progress.begun[p]];
      if (std::find(words.begin(), words.end(), word) == words.end()) {
        words.push_back(word);
      }
    }
  }
  return words;
}

}  // namespace heed
