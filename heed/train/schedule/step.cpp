// step: factor = f^⌊n / every⌋, n = step + 1.
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Step : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("every", every_, {.help = "steps between two falls", .least = 1, .most = most_steps});
    d.setting("fall", fall_, {.help = "what the rate is multiplied by", .least = 0, .most = 1});
  }
  double factor(const RunProgress& progress) const override {
    const int64_t falls = (progress.step + 1) / every_;
    return std::pow(fall_, static_cast<double>(falls));
  }

 private:
  int64_t every_ = 10000;
  double fall_ = 0.5;
};

}  // namespace

std::unique_ptr<Schedule> step_schedule() { return std::make_unique<Step>(); }

}  // namespace heed
