#include "heed/text/tokenisers.h"

namespace heed {

const Catalogue<Tokeniser>& tokenisers() {
  static const Catalogue<Tokeniser> all(
      "tokeniser",
      {
          {"words", {}, "split at white space, joined by a blank", words},
          {"characters", {}, "one token for each code point, joined by nothing", characters},
      });
  return all;
}

}  // namespace heed
