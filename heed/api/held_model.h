// A loaded model with the engine that it computes in. Not installed.
#pragma once

#include <memory>

#include "heed/api/core.h"
#include "heed/api/loaded_model.h"
#include "heed/model/model_file.h"

namespace heed {

struct LoadedModel::Held {
  std::shared_ptr<Engine::Core> core;  // outlives the model's tensors
  TrainedModel trained;
};

}  // namespace heed
