// What is inside a loaded model, for the layers above that write answers as the command line does. This
// header is not installed.
#pragma once

#include "heed/api/held_model.h"

namespace heed {

struct ModelInside {
  static const TrainedModel& trained(const LoadedModel& model) { return model.held_->trained; }
  /// Loops of whoever uses the model run on its engine's pool.
  static ThreadPool& pool(const LoadedModel& model) { return model.held_->core->pool; }
};

}  // namespace heed
