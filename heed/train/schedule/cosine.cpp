// cosine: falls(p) = l + (1 − l) (1 + cos(π p)) / 2 (Loshchilov and Hutter 2017, without restarts)
#include <cmath>
#include <numbers>

#include "heed/train/falling_schedule.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Cosine : public FallingSchedule {
 public:
  Cosine() : FallingSchedule(0, 0) {}

 private:
  double falls(double done) const override {
    return least() + (1 - least()) * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
};

}  // namespace

std::unique_ptr<Schedule> cosine_schedule() { return std::make_unique<Cosine>(); }

}  // namespace heed
