// Checks of the views that the attention kernels get.
#pragma once

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// Fails unless the shapes agree and rows are dense.
void check_step(const AttendStep& step, const char* who);
void check_gradient(const AttendGradient& gradient, const char* who);

}  // namespace heed::cpu
