#include "heed/text/special_tokens.h"

#include <algorithm>

namespace heed {

SpecialTokens::SpecialTokens(std::span<const Special> also) {
  TokenId next = 0;
  for (const SpecialName& one : special_names) {
    const bool is_usual = one.which <= Special::start;
    const bool is_asked = std::find(also.begin(), also.end(), one.which) != also.end();
    set(one.which, is_usual || is_asked ? next++ : none);
  }
}

bool SpecialTokens::contains(TokenId id) const {
  return id != none && std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

std::vector<TokenId> SpecialTokens::ids() const {
  std::vector<TokenId> all(ids_.begin(), ids_.end());
  std::erase(all, none);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<TokenId> SpecialTokens::suppressed() const {
  std::vector<TokenId> all = ids();
  std::erase(all, end());
  std::erase(all, unknown());
  return all;
}

std::vector<std::string> usual_spellings(const SpecialTokens& specials) {
  std::vector<std::string> all;
  for (const SpecialName& one : special_names) {
    if (specials.has(one.which)) {
      all.emplace_back(one.spelling);
    }
  }
  return all;
}

}  // namespace heed
