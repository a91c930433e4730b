#include "heed/text/token_counter.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/tokenisers.h"

namespace heed {

TokenCounter::TokenCounter(std::shared_ptr<Tokeniser> tokeniser)
    : tokeniser_(std::move(tokeniser)) {}

void TokenCounter::add(std::string_view text) {
  if (tokeniser_->learns()) {
    texts_.emplace_back(text);
    return;
  }
  for (std::string& token : tokeniser_->split(text)) {
    ++counts_[std::move(token)];
  }
}

std::vector<std::string> TokenCounter::counted(const VocabularyLimits& limits) const {
  std::vector<std::pair<std::string_view, std::size_t>> ranked;
  for (const auto& [token, count] : counts_) {
    if (count >= limits.min_count) {
      ranked.emplace_back(token, count);
    }
  }
  // The order of bytes in UTF-8 is the order of code points.
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> tokens;
  tokens.reserve(ranked.size());
  for (const auto& [token, count] : ranked) {
    tokens.emplace_back(token);
  }
  return tokens;
}

Vocabulary TokenCounter::learn(const VocabularyLimits& limits) const {
  const std::vector<std::string> specials = usual_spellings(SpecialTokens(limits.also));
  require(limits.max_size == 0 || limits.max_size > specials.size(),
          "vocabulary: a size of {} has no room for more than the {} special tokens; choose a "
          "larger size, or 0 for any",
          limits.max_size, specials.size());
  const bool learns = tokeniser_->learns();
  std::vector<std::string> tokens = learns ? tokeniser_->learn(texts_, limits) : counted(limits);
  std::erase_if(tokens, [&specials](const std::string& token) {
    return std::find(specials.begin(), specials.end(), token) != specials.end();
  });
  if (!learns && limits.max_size > 0) {
    tokens.resize(std::min(tokens.size(), limits.max_size - specials.size()));
  }
  return {tokeniser_, tokens, limits.also};
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
