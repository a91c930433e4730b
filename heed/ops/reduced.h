// Reductions for ops. Private to this layer; nothing here is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x reduced over the axes that are 1 in `kept`, which is the result's shape.
Tensor reduced(Reduction reduction, const Tensor& x, const Shape& kept);

/// x reduced over its last axis, which stays with length 1.
Tensor reduced_rows(Reduction reduction, const Tensor& x);

}  // namespace heed
