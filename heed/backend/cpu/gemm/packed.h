// Weights packed into panels, and products with them. Packed memory has, each at a multiple of 64
// bytes: a header, a scale and a correction for every row of a weight in whole numbers, and the
// panels.
#pragma once

#include "heed/backend/cpu/gemm/tile.h"

namespace heed::cpu {

/// Like `pack`, for a given kernel, which the CPU must support.
void pack_for(const TileKernel& kernel, const PackStep& step);

}  // namespace heed::cpu
