#include <array>
#include <vector>

#include "heed/backend/cpu/gemm/tile.h"
#include "heed/backend/cpu/targets.h"

namespace heed::cpu {
namespace {

/// Where the other kernels do not fuse, tiles are the plain ones: a row has the same bits whichever of
/// them multiplies it.
const TileKernel* fastest(Precision wanted, bool fuses) {
  if (fuses) {
    for (const TileKernel* each : tile_kernels()) {
      if (each->precision == wanted && each->is_available()) {
        return each;
      }
    }
  }
  for (const TileKernel& each : plain_kernels()) {
    if (each.precision == wanted) {
      return &each;
    }
  }
  return tile_kernels().back();  // not reached: every precision has a plain kernel
}

using Chosen = std::array<const TileKernel*, 3>;

Chosen chosen(bool fuses) {
  return {fastest(Precision::f32, fuses), fastest(Precision::bf16, fuses),
          fastest(Precision::int8, fuses)};
}

}  // namespace

std::span<const TileKernel* const> tile_kernels() {
  static const std::vector<const TileKernel*> all = [] {
    std::vector<const TileKernel*> list;
    for (const auto& some : {arm_kernels(), x86_kernels(), plain_kernels()}) {
      for (const TileKernel& each : some) {
        list.push_back(&each);
      }
    }
    return list;
  }();
  return all;
}

const TileKernel& tile_kernel(Precision precision) {
  static const Chosen fused = chosen(true);
  static const Chosen plain = chosen(false);
  return *(fuses_products() ? fused : plain)[static_cast<size_t>(precision)];
}

}  // namespace heed::cpu
