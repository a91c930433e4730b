// A tensor as a matrix of rows, for ops over the last axis. Private to this layer; nothing here is
// recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x [..., D] as [N, D]; a copy only if x's strides require it. Fails for a scalar.
Tensor as_rows(const Tensor& x, const char* who);

/// The same elements in another shape; a copy only if x's strides require it.
Tensor shaped(const Tensor& x, const Shape& shape);

}  // namespace heed
