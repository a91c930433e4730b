// f of a packed product, over a row of results.
#pragma once

#include <cstdint>

#include "heed/device/kernel/packed.h"

namespace heed::cpu {

/// x_j ← f(x_j)
void apply(AfterProduct after, float* x, int64_t n);

}  // namespace heed::cpu
