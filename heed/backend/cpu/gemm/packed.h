// Weights packed into panels, and products with them. In packed memory lie, each from a whole
// multiple of 64 bytes on: what was packed and how, a scale and a correction for every row of a
// whole-numbered weight, and the panels.
#pragma once

#include "heed/backend/cpu/gemm/tile.h"

namespace heed::cpu {

/// As `pack`, for a kernel of one's own choice: one the CPU has.
void pack_for(const TileKernel& kernel, const PackStep& step);

}  // namespace heed::cpu
