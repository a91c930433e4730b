// The state that the handles of one engine share. This header is not installed.
#pragma once

#include <memory>

#include "heed/api/engine.h"
#include "heed/api/scheduler_thread.h"
#include "heed/base/thread_pool.h"
#include "heed/device/backend.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct Engine::Core {
  explicit Core(EngineOptions wanted);

  Place place() const { return {backend.get(), DType::f32}; }

  EngineOptions options;
  ThreadPool pool;
  std::unique_ptr<Backend> backend;
  SchedulerThread searching{pool};  // last, so that it ends first
};

}  // namespace heed
