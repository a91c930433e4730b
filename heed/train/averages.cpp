#include "heed/train/averages.h"

namespace heed {

const Catalogue<Average>& averages() {
  static const Catalogue<Average> all{
      "average",
      {
          {"none", {}, "p", no_average},
          {"ema", {}, "a = d a + (1 − d) p at every update", ema},
          {"last", {}, "the mean of p at the last n multiples of `every` steps", last_average},
      }};
  return all;
}

}  // namespace heed
