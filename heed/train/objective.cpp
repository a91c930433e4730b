#include "heed/train/objective.h"

#include "heed/base/error.h"
#include "heed/train/schedules.h"

namespace heed {

Objective::Objective() : schedule_(make_part(schedules(), "constant")) {}

void Objective::describe(Describer& d) {
  d.setting("weight", weight_, {.help = "at its highest; the schedule scales it", .least = 0});
  d.part("schedule", schedule_, schedules(), {"how its weight changes"});
}

void Objective::attach(Model& model) {
  if (schedule_->watches_validation()) {
    fail(
        Fault::usage,
        "training.objectives: saw the schedule {} for the weight of {}, needs one that goes by the "
        "step alone; choose another",
        schedule_->kind(), kind());
  }
  if (report().weights && model.decoder().reporting_blocks() == 0) {
    fail(Fault::usage,
         "training.objectives: saw {} with the decoder {}, which has no attention, needs attention "
         "weights; choose another decoder, or leave it out",
         kind(), model.decoder().kind());
  }
}

double Objective::weight(const RunProgress& progress) const {
  return weight_ * schedule_->factor(progress);
}

}  // namespace heed
