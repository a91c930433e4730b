// x seen as a larger tensor, without copying: axes of length 1 (or missing in front) are stretched.
//
//   y[i, j] = x[0, j]        dx[0, j] = Σ_i dy[i, j]
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor broadcast_to(const Tensor& x, const Shape& shape);

}  // namespace heed
