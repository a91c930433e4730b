// A part of a dropout, for kernels that do more with the same elements.
#pragma once

#include "heed/device/kernel/dropout.h"

namespace heed::cpu {

/// Elements [begin, end); begin is a multiple of 4. Checks nothing.
void dropout_some(const DropoutStep& step, int64_t begin, int64_t end);

}  // namespace heed::cpu
