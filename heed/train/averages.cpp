#include "heed/train/averages.h"

namespace heed {

const Catalogue<Average>& averages() {
  static const Catalogue<Average> all{
      "average",
      {
          {"none", {}, "p", HEED_MADE_BY(Average, no_average)},
          {"ema",
           {},
           "a = d a + (1 − d) p at update t = 1, 2, …, d = min(decay, (t − 1) / (t + 9))",
           HEED_MADE_BY(Average, ema)},
          {"last",
           {},
           "the mean of p at the last n multiples of `every` steps",
           HEED_MADE_BY(Average, last_average)},
      }};
  return all;
}

}  // namespace heed
