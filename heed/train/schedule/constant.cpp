// constant: factor = min(1, n / w), n = step + 1, w the warm-up.
#include <algorithm>

#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Constant : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("warm_up", warm_up_,
              {.help = "steps of linear rise", .least = 0, .most = most_steps});
  }
  double factor(const RunProgress& progress) const override {
    return progress.step + 1 >= warm_up_
               ? 1
               : static_cast<double>(progress.step + 1) / static_cast<double>(warm_up_);
  }

 private:
  int64_t warm_up_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> constant_schedule() { return std::make_unique<Constant>(); }

}  // namespace heed
