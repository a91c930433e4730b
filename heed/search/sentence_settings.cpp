#include "heed/search/sentence_settings.h"

#include <algorithm>

namespace heed {

std::vector<TokenId> suppressed_words(const SpecialTokens& specials,
                                      const SentenceSettings& settings) {
  std::vector<TokenId> all = specials.suppressed();
  if (!settings.allows_unknown) {
    all.push_back(specials.unknown());
    std::sort(all.begin(), all.end());
  }
  return all;
}

}  // namespace heed
