#include "heed/metric/tokenisations.h"

namespace heed {

const Catalogue<Tokenisation>& tokenisations() {
  static const Catalogue<Tokenisation> all(
      "tokenisation",
      {
          {"13a", {}, "punctuation apart, as in mteval-v13a: Western languages", mteval_13a},
          {"zh", {}, "ideographs and their punctuation one by one, the rest as 13a", chinese},
          {"char", {}, "every character by itself", single_characters},
          {"none", {}, "at blanks: the text is cut already", blanks_only},
          {"intl", {}, "Unicode's punctuation and symbols apart, as in mteval-v14", international},
      });
  return all;
}

}  // namespace heed
