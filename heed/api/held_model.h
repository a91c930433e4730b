// The state that the handles of one loaded model share. This header is not installed.
#pragma once

#include <memory>

#include "heed/api/core.h"
#include "heed/api/loaded_model.h"
#include "heed/model/file/model_file.h"

namespace heed {

struct LoadedModel::Held {
  std::shared_ptr<Engine::Core> core;  // declared first, so that it outlives the tensors
  TrainedModel trained;
};

}  // namespace heed
