// The CPU backend: f32 (and i32), vectorised loops on the process's thread pool. Results have the
// same bits for any number of threads.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed {

std::unique_ptr<Backend> cpu_backend();

}  // namespace heed
