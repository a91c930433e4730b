#include "heed/train/schedule.h"

#include "heed/base/error.h"

namespace heed {

void require_goes_by_step(const Schedule& schedule, std::string_view where,
                          std::string_view of_what) {
  if (schedule.watches_validation()) {
    fail(Fault::usage, "{}: the schedule {} for {} does not go by the step alone; choose another",
         where, schedule.kind(), of_what);
  }
}

}  // namespace heed
