#include "heed/metric/tokenisations.h"

namespace heed {

const Catalogue<Tokenisation>& tokenisations() {
  static const Catalogue<Tokenisation> all(
      "tokenisation",
      {
          {"13a",
           {},
           "split off punctuation as mteval-v13a does, for Western languages",
           HEED_MADE_BY(Tokenisation, mteval_13a)},
          {"zh",
           {},
           "split ideographs and their punctuation one by one, the rest as in 13a",
           HEED_MADE_BY(Tokenisation, chinese)},
          {"char", {}, "split every character", HEED_MADE_BY(Tokenisation, single_characters)},
          {"none",
           {},
           "split at blanks, for text that is tokenised already",
           HEED_MADE_BY(Tokenisation, blanks_only)},
          {"intl",
           {},
           "split off Unicode punctuation and symbols as mteval-v14 does",
           HEED_MADE_BY(Tokenisation, international)},
      });
  return all;
}

}  // namespace heed
