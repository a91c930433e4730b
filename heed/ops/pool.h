// Pooling over the cells of grids, x [B, H, W, C], each channel by itself:
//
//   max_pool     y[b, i, j, c] = the largest x of a window       dx: to the first that is the largest
//   mean_pool    y[b, i, j, c] = the mean x of a window          dx: dy / n to each of the n cells
//   mean_of_grid y[b, c] = the mean x of the whole grid          dx: dy / (H W)
//
// Cells outside of the grid do not count: they are never the largest, and n counts cells inside.
#pragma once

#include "heed/ops/padding.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// [B, H, W, C] → [B, H', W', C]. No window may lie outside of the grid altogether.
Tensor max_pool(const Tensor& x, const GridWindows& windows);
Tensor mean_pool(const Tensor& x, const GridWindows& windows);

/// [B, H, W, C] → [B, C]
Tensor mean_of_grid(const Tensor& x);

}  // namespace heed
