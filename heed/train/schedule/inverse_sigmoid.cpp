// inverse_sigmoid: factor = k / (k + e^(i / k)), i = 100 n / N the part of the run that is done, in
// per cent (Bengio 2015, section 2.4, where i counts batches); n = step + 1, N the run's steps. It
// stays near its largest value, k / (k + 1), then falls; half of it is gone at i ≈ k ln k.
#include <algorithm>
#include <cmath>

#include "heed/train/schedules.h"

namespace heed {
namespace {

class InverseSigmoid : public Schedule {
 public:
  void describe(Describer& d) override {
    d.setting("k", k_,
              {.help = "how late it falls: half is gone after k ln k per cent of the run",
               .least = 1,
               .most = 1000});
  }
  double factor(const RunProgress& progress) const override {
    const double n = static_cast<double>(progress.step) + 1;
    const double done =
        std::min(1.0, n / static_cast<double>(std::max<int64_t>(progress.steps, 1)));
    return k_ / (k_ + std::exp(100 * done / k_));
  }

 private:
  double k_ = 15;
};

}  // namespace

std::unique_ptr<Schedule> inverse_sigmoid_schedule() { return std::make_unique<InverseSigmoid>(); }

}  // namespace heed
