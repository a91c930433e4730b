#include <vector>

#include "heed/backend/cpu/gemm/tile.h"

namespace heed::cpu {

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
  const auto fastest = [](Precision wanted) {
    for (const TileKernel* each : tile_kernels()) {
      if (each->precision == wanted && each->is_available()) {
        return each;
      }
    }
    return tile_kernels().back();  // not reached: every precision has a plain kernel
  };
  static const TileKernel* const chosen[] = {fastest(Precision::f32), fastest(Precision::bf16),
                                             fastest(Precision::int8)};
  return *chosen[static_cast<size_t>(precision)];
}

}  // namespace heed::cpu
