#include "heed/search/rule.h"

#include <algorithm>

#include "heed/search/rules.h"

namespace heed {

RuleList::RuleList() {
  for (const auto& entry : rules()) {
    all_.push_back(make_part(rules(), entry.name));
  }
}

RuleList::RuleList(const RuleList& other) {
  for (const auto& rule : other.all_) {
    all_.push_back(rule->copy());
  }
}

RuleList& RuleList::operator=(const RuleList& other) {
  RuleList same(other);
  all_.swap(same.all_);
  return *this;
}

void RuleList::describe(Describer& d) {
  for (const auto& rule : all_) {
    rule->describe(d);
  }
}

const Rule* RuleList::first_on() const {
  const auto on =
      std::find_if(all_.begin(), all_.end(), [](const auto& rule) { return rule->is_on(); });
  return on == all_.end() ? nullptr : on->get();
}

int64_t RuleList::least_words() const {
  int64_t least = 0;
  for (const auto& rule : all_) {
    least = std::max(least, rule->least_words());
  }
  return least;
}

std::vector<TokenId> RuleList::closed(std::span<const TokenId> said,
                                      const SpecialTokens& specials) const {
  std::vector<TokenId> words;
  for (const auto& rule : all_) {
    if (rule->is_on()) {
      rule->close(said, specials, words);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace heed
