// A backend that does nothing but log: a line on standard error for every call that reaches it.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed::test {

/// `device` is the number behind the colon of its name, "log:1".
std::unique_ptr<Backend> log_backend(int device);

}  // namespace heed::test
