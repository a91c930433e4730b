// Phrases that an output must contain, and how much of them it contains already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

struct PhraseProgress {
  std::vector<bool> is_complete;  // whether the output contains each phrase
  std::vector<size_t> begun;      // how many words of each incomplete phrase the output ends with
  size_t words = 0;               // words of complete phrases and of the longest beginning
  size_t missing = 0;             // words still needed to complete that beginning and all others
};

/// How much of `phrases` is in `words`. This is a pure function, so hypotheses need not store it.
PhraseProgress progress_of(std::span<const int32_t> words,
                           std::span<const std::vector<int32_t>> phrases);

/// The next words of all incomplete phrases, each word once, in the order of the phrases.
std::vector<int32_t> words_onward(const PhraseProgress& progress,
                                  std::span<const std::vector<int32_t>> phrases);

}  // namespace heed
