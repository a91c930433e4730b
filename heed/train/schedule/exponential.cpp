// exponential: falls(p) = l^p. Per step it is k^n with k = l^(1 / (N − w)), the exponential decay of
// Bengio 2015, section 2.4.
#include <cmath>

#include "heed/train/falling_schedule.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Exponential : public FallingSchedule {
 public:
  Exponential() : FallingSchedule(0.01, 1e-12) {}

 private:
  double falls(double done) const override { return std::pow(least(), done); }
};

}  // namespace

std::unique_ptr<Schedule> exponential_schedule() { return std::make_unique<Exponential>(); }

}  // namespace heed
