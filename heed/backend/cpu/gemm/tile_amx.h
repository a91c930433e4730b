// Tiles of 32 × 32 by the tile registers of x86 (AMX).
#pragma once

#include "heed/backend/cpu/gemm/tile.h"

namespace heed::cpu {

std::span<const TileKernel> amx_kernels();

}  // namespace heed::cpu
