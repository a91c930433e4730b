// exponential: factor = n / w while n < w, then l^((n − w) / (N − w)); n = step + 1, w the warm-up,
// N the run's steps, l the factor at the end. Per step it is k^n with k = l^(1 / (N − w)), the
// exponential decay of Bengio 2015, section 2.4.
#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Exponential : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("warm_up", warm_up_,
              {.help = "steps of linear rise", .least = 0, .most = most_steps});
    d.setting("least", least_,
              {.help = "the factor at the end of the run", .least = 1e-12, .most = 1});
  }
  double factor(const RunProgress& progress) const override {
    const double n = static_cast<double>(progress.step) + 1;
    const auto w = static_cast<double>(warm_up_);
    if (n < w) {
      return n / w;
    }
    const double rest = std::max(1.0, static_cast<double>(progress.steps) - w);
    return std::pow(least_, std::min(1.0, (n - w) / rest));
  }

 private:
  int64_t warm_up_ = 0;
  double least_ = 0.01;
};

}  // namespace

std::unique_ptr<Schedule> exponential_schedule() { return std::make_unique<Exponential>(); }

}  // namespace heed
