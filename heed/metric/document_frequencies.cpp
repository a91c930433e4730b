#include "heed/metric/document_frequencies.h"

#include <algorithm>
#include <cmath>

namespace heed {

std::vector<WordNgram> ngrams_of(std::span<const std::uint32_t> numbers) {
  std::vector<WordNgram> all;
  all.reserve(numbers.size() * std::tuple_size_v<WordNgram>);
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    WordNgram ngram{};
    for (std::size_t n = 0; n < ngram.size() && at + n < numbers.size(); ++n) {
      ngram[n] = numbers[at + n];
      all.push_back(ngram);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

void DocumentFrequencies::add(std::span<const WordList> document) {
  std::vector<WordNgram> present;
  for (const WordList& text : document) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(text.size());
    for (const std::u32string& word : text) {
      const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
      numbers.push_back(numbers_.try_emplace(word, next).first->second);
    }
    const std::vector<WordNgram> some = ngrams_of(numbers);
    present.insert(present.end(), some.begin(), some.end());
  }
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  for (const WordNgram& ngram : present) {
    ++having_[ngram];
  }
  ++documents_;
}

std::vector<std::uint32_t> DocumentFrequencies::numbered(
    const WordList& words, std::unordered_map<std::u32string, std::uint32_t>& strangers) const {
  std::vector<std::uint32_t> out;
  out.reserve(words.size());
  for (const std::u32string& word : words) {
    const auto found = numbers_.find(word);
    const auto next = static_cast<std::uint32_t>(numbers_.size() + strangers.size() + 1);
    out.push_back(found != numbers_.end() ? found->second
                                          : strangers.try_emplace(word, next).first->second);
  }
  return out;
}

double DocumentFrequencies::idf(const WordNgram& ngram) const {
  const auto found = having_.find(ngram);
  const double having = found == having_.end() ? 1 : static_cast<double>(found->second);
  return std::log(static_cast<double>(documents_)) - std::log(having);
}

/// Mixes each number into 64 bits by a multiplication (Fowler, Noll and Vo) and spreads the result.
std::size_t DocumentFrequencies::Hash::operator()(const WordNgram& ngram) const noexcept {
  std::uint64_t mixed = 0xCBF29CE484222325U;
  for (const std::uint32_t number : ngram) {
    mixed = (mixed ^ number) * 0x100000001B3U;
  }
  return static_cast<std::size_t>(mixed ^ (mixed >> 29));
}

}  // namespace heed
