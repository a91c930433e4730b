// inverse_square_root: factor = min(n / w, √(w / n)), n = step + 1, w the warm-up (Vaswani 2017
// §5.3; there the peak is D^−½ w^−½, here it is the optimiser's learning rate).
#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class InverseSquareRoot : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("warm_up", warm_up_,
              {.help = "steps of linear rise", .least = 1, .most = most_steps});
  }
  double factor(const RunProgress& progress) const override {
    const double n = static_cast<double>(progress.step) + 1;
    const auto w = static_cast<double>(warm_up_);
    return std::min(n / w, std::sqrt(w / n));
  }

 private:
  int64_t warm_up_ = 1000;
};

}  // namespace

std::unique_ptr<Schedule> inverse_square_root_schedule() {
  return std::make_unique<InverseSquareRoot>();
}

}  // namespace heed
