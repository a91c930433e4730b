// Attention with products in bf16, by a given kernel, which the CPU must support.
#pragma once

#include "heed/backend/cpu/gemm/tile.h"
#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// The kernel that `attend` uses for this step, or null: f32 is faster for few rows, and more
/// precise where the CPU has no bf16.
const TileKernel* rounding_kernel(const AttendStep& step);

void attend_rounded(const AttendStep& step, const TileKernel& kernel);
void attend_gradient_rounded(const AttendGradient& gradient, const TileKernel& kernel);

}  // namespace heed::cpu
