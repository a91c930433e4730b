#include "heed/train/schedule.h"

#include "heed/base/error.h"

namespace heed {

void require_goes_by_step(const Schedule& schedule, std::string_view where,
                          std::string_view of_what) {
  if (schedule.watches_validation()) {
    fail(Fault::usage,
         "{}: saw the schedule {} for {}, needs one that goes by the step alone; choose another",
         where, schedule.kind(), of_what);
  }
}

}  // namespace heed
