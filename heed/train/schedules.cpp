#include "heed/train/schedules.h"

namespace heed {

const Catalogue<Schedule>& schedules() {
  static const Catalogue<Schedule> all{
      "schedule",
      {
          {"constant", {}, "min(1, n / w)", HEED_MADE_BY(Schedule, constant_schedule)},
          {"inverse_square_root",
           {"noam"},
           "min(n / w, √(w / n))",
           HEED_MADE_BY(Schedule, inverse_square_root_schedule)},
          {"linear", {}, "1 + (l − 1) (n − w) / (N − w)", HEED_MADE_BY(Schedule, linear_schedule)},
          {"cosine",
           {},
           "l + (1 − l) (1 + cos(π (n − w) / (N − w))) / 2",
           HEED_MADE_BY(Schedule, cosine_schedule)},
          {"exponential",
           {},
           "l^((n − w) / (N − w))",
           HEED_MADE_BY(Schedule, exponential_schedule)},
          {"inverse_sigmoid",
           {},
           "k / (k + e^(i / k)), i = 100 n / N",
           HEED_MADE_BY(Schedule, inverse_sigmoid_schedule)},
          {"step", {}, "f^⌊n / every⌋", HEED_MADE_BY(Schedule, step_schedule)},
          {"plateau",
           {},
           "max(l, f^falls), a fall after `patience` validations without gain",
           HEED_MADE_BY(Schedule, plateau_schedule)},
      }};
  return all;
}

}  // namespace heed
