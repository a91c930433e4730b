#include "heed/search/rule.h"

#include <algorithm>

#include "heed/search/rules.h"

namespace heed {

RuleList::RuleList() : OneOfEach(rules()) {}

const Rule* RuleList::first_on() const {
  const auto on = std::find_if(begin(), end(), [](const auto& rule) { return rule->is_on(); });
  return on == end() ? nullptr : on->get();
}

int64_t RuleList::least_words() const {
  int64_t least = 0;
  for (const auto& rule : *this) {
    least = std::max(least, rule->least_words());
  }
  return least;
}

std::vector<TokenId> RuleList::closed(std::span<const TokenId> said,
                                      const SpecialTokens& specials) const {
  std::vector<TokenId> words;
  for (const auto& rule : *this) {
    if (rule->is_on()) {
      rule->close(said, specials, words);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace heed
