// Windows over grids as rows of a matrix, U[(b, i, j), (u, v, c)]. Private to this layer; nothing here
// is recorded.
#pragma once

#include "heed/ops/padding.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// x [B, H, W, C] with zeros around it; x itself where there are none.
Tensor with_border(const Tensor& x, const PlacedWindows& windows);

/// The cells (u, v) of all windows, a view [B, H', W', C] of x with its border.
Tensor cells_of_windows(const Tensor& bordered, const PlacedWindows& windows, int64_t u, int64_t v);

/// x [B, H, W, C] → U [B · H' · W', height · width · C]. It is a copy, unless windows are cells.
Tensor unfolded(const Tensor& x, const PlacedWindows& windows);

/// dx [B, H, W, C] += each element of du, shaped as U, where U read it from x.
void fold_into(const Tensor& dx, const Tensor& du, const PlacedWindows& windows);

}  // namespace heed
