// Attention whose products run in bf16, by a kernel of one's own choice: one the CPU has.
#pragma once

#include "heed/backend/cpu/gemm/tile.h"
#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// The kernel `attend` takes for this step, or none: f32 is faster for few rows, and closer to the
/// definition where the CPU has no bf16.
const TileKernel* rounding_kernel(const AttendStep& step);

void attend_rounded(const AttendStep& step, const TileKernel& kernel);
void attend_gradient_rounded(const AttendGradient& gradient, const TileKernel& kernel);

}  // namespace heed::cpu
