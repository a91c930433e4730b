// A schedule that rises in a straight line and falls to the end of the run; each says how it falls.
//
//   factor = n / w while n < w, then falls(min(1, (n − w) / (N − w)))
//
// n = step + 1, w the warm-up, N the run's steps. falls(0) = 1, and falls(1) = l, the least factor.
#pragma once

#include <algorithm>

#include "heed/config/limits.h"
#include "heed/train/schedule.h"

namespace heed {

class FallingSchedule : public Schedule {
 public:
  /// With the least factor unless a setting says otherwise, and the smallest that it may be.
  FallingSchedule(double least, double smallest) : least_(least), smallest_(smallest) {}

  void describe(Describer& d) override {
    d.setting("warm_up", warm_up_,
              {.help = "steps of linear rise", .least = 0, .most = most_steps});
    d.setting("least", least_,
              {.help = "the factor at the end of the run", .least = smallest_, .most = 1});
  }
  double factor(const RunProgress& progress) const override {
    const double n = static_cast<double>(progress.step) + 1;
    const auto w = static_cast<double>(warm_up_);
    if (n < w) {
      return n / w;
    }
    const double rest = std::max(1.0, static_cast<double>(progress.steps) - w);
    return falls(std::min(1.0, (n - w) / rest));
  }

 protected:
  double least() const { return least_; }

 private:
  /// The factor when this share of the way from the warm-up to the end is done.
  virtual double falls(double done) const = 0;

  int64_t warm_up_ = 0;
  double least_;
  double smallest_;
};

}  // namespace heed
