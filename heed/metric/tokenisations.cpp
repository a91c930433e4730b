#include "heed/metric/tokenisations.h"

namespace heed {

const Catalogue<Tokenisation>& tokenisations() {
  static const Catalogue<Tokenisation> all(
      "tokenisation",
      {
          {"13a",
           {},
           "split off punctuation as mteval-v13a does, for Western languages",
           mteval_13a},
          {"zh",
           {},
           "split ideographs and their punctuation one by one, the rest as in 13a",
           chinese},
          {"char", {}, "split every character", single_characters},
          {"none", {}, "split at blanks, for text that is tokenised already", blanks_only},
          {"intl",
           {},
           "split off Unicode punctuation and symbols as mteval-v14 does",
           international},
      });
  return all;
}

}  // namespace heed
