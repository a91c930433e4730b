#include "heed/train/objective.h"

#include "heed/base/error.h"
#include "heed/config/limits.h"
#include "heed/train/schedules.h"

namespace heed {

Objective::Objective() : schedule_(make_part(schedules(), "constant")) {}

void Objective::describe(Describer& d) {
  d.setting("decoder", decoder_, {"which decoder it teaches: main, or a name of model.decoders"});
  d.setting("weight", weight_,
            {.help = "largest value; the schedule scales it", .least = 0, .most = most_factor});
  d.part("schedule", schedule_, schedules(), {"how its weight changes"});
}

void Objective::attach(Model& model) {
  require_goes_by_step(*schedule_, "training.objectives", "the weight of " + kind());
  const Decoder& taught = model.decoder(decoder_);
  if (report().weights && taught.reporting_blocks() == 0) {
    fail(Fault::usage,
         "training.objectives: {} looks at attention weights, and the decoder {} has none; choose "
         "another decoder, or leave it out",
         kind(), taught.kind());
  }
}

double Objective::weight(const RunProgress& progress) const {
  return weight_ * schedule_->factor(progress);
}

}  // namespace heed
