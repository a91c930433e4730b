#include "heed/train/schedules.h"

namespace heed {

const Catalogue<Schedule>& schedules() {
  static const Catalogue<Schedule> all{
      "schedule",
      {
          {"constant", {}, "min(1, n / w)", constant_schedule},
          {"inverse_square_root", {"noam"}, "min(n / w, √(w / n))", inverse_square_root_schedule},
          {"linear", {}, "1 + (l − 1) (n − w) / (N − w)", linear_schedule},
          {"cosine", {}, "l + (1 − l) (1 + cos(π (n − w) / (N − w))) / 2", cosine_schedule},
          {"exponential", {}, "l^((n − w) / (N − w))", exponential_schedule},
          {"inverse_sigmoid", {}, "k / (k + e^(i / k)), i = 100 n / N", inverse_sigmoid_schedule},
          {"step", {}, "f^⌊n / every⌋", step_schedule},
          {"plateau",
           {},
           "max(l, f^falls), a fall after `patience` validations without gain",
           plateau_schedule},
      }};
  return all;
}

}  // namespace heed
