#include "heed/text/token_counter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/text/tokenisers.h"

namespace heed {

TokenCounter::TokenCounter(std::shared_ptr<const Tokeniser> tokeniser)
    : tokeniser_(std::move(tokeniser)) {}

void TokenCounter::add(std::string_view text) {
  for (std::string& token : tokeniser_->split(text)) {
    ++counts_[std::move(token)];
  }
}

Vocabulary TokenCounter::learn(const VocabularyLimits& limits) const {
  require(limits.max_size == 0 || limits.max_size > Vocabulary::specials,
          "vocabulary: saw max_size {}, needs more than the {} special tokens; choose a larger "
          "size, or 0 for any",
          limits.max_size, Vocabulary::specials);
  std::vector<std::pair<std::string_view, std::size_t>> ranked;
  for (const auto& [token, count] : counts_) {
    if (count >= limits.min_count && !Vocabulary::is_special(token)) {
      ranked.emplace_back(token, count);
    }
  }
  // The order of bytes in UTF-8 is the order of code points.
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (limits.max_size > 0) {
    ranked.resize(std::min(ranked.size(), limits.max_size - Vocabulary::specials));
  }
  std::vector<std::string> tokens;
  tokens.reserve(ranked.size());
  for (const auto& [token, count] : ranked) {
    tokens.emplace_back(token);
  }
  return {tokeniser_, tokens};
}

Vocabulary learn_vocabulary(std::string_view kind, std::span<const std::string> texts,
                            const VocabularyLimits& limits) {
  TokenCounter counter(tokenisers().make(kind));
  for (const std::string& text : texts) {
    counter.add(text);
  }
  return counter.learn(limits);
}

}  // namespace heed
