// linear: falls(p) = 1 + (l − 1) p
#include "heed/train/falling_schedule.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class Linear : public FallingSchedule {
 public:
  Linear() : FallingSchedule(0, 0) {}

 private:
  double falls(double done) const override { return 1 + (least() - 1) * done; }
};

}  // namespace

std::unique_ptr<Schedule> linear_schedule() { return std::make_unique<Linear>(); }

}  // namespace heed
