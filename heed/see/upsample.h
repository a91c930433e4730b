// The weights of a grid's cells at the pixels of a picture that the grid covers.
//
//   bilinear   between the middles of the cells; beyond the middles of the outer cells, those hold
//   gaussian   Σ_c w_c k(p, c) / Σ_c k(p, c),  k = exp(−d² / 2 σ²), d from the pixel's middle to the
//              cell's, σ = ½ cell (Xu 2015 smooths its maps in this way)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

enum class Upsampling { bilinear, gaussian };

struct GridSize {
  std::int32_t height = 0;
  std::int32_t width = 0;
};

/// cells [from.height · from.width] → pixels [to.height · to.width], row-major; NaN stays NaN.
std::vector<double> upsampled(std::span<const float> cells, const GridSize& from,
                              const GridSize& to, Upsampling how = Upsampling::bilinear);

}  // namespace heed
