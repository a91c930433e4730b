// plateau: factor = max(l, f^falls), after a linear rise over the warm-up. The rate falls after
// `patience` validations in a row without gain; then the count starts again.
#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Plateau : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("warm_up", warm_up_,
              {.help = "steps of linear rise", .least = 0, .most = most_steps});
    d.setting("patience", patience_,
              {.help = "validations in a row without gain before a fall",
               .least = 1,
               .most = most_steps});
    d.setting("fall", fall_, {.help = "what the rate is multiplied by", .least = 0, .most = 1});
    d.setting("least", least_, {.help = "the factor it never falls below", .least = 0, .most = 1});
  }
  double factor(const RunProgress& progress) const override {
    const double n = static_cast<double>(progress.step) + 1;
    const double rise = warm_up_ > 0 ? std::min(1.0, n / static_cast<double>(warm_up_)) : 1;
    return rise * std::max(least_, std::pow(fall_, static_cast<double>(progress.falls)));
  }
  bool watches_validation() const override { return true; }
  bool falls_after(int64_t without_gain) const override { return without_gain >= patience_; }

 private:
  int64_t warm_up_ = 0;
  int64_t patience_ = 3;
  double fall_ = 0.5;
  double least_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> plateau_schedule() { return std::make_unique<Plateau>(); }

}  // namespace heed
