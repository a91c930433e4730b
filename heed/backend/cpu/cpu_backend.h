// The CPU: f32 (and i32), vectorised loops on the process's thread pool. Results are the same bits
// whatever the number of threads.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed {

std::unique_ptr<Backend> cpu_backend();

}  // namespace heed
