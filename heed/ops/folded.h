// Folds as ops make them. Private to this layer; nothing here is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x folded over the axes that are 1 in `kept`; that is the result's shape.
Tensor folded(Fold fold, const Tensor& x, const Shape& kept);

/// x folded over its last axis, which stays with length 1.
Tensor folded_rows(Fold fold, const Tensor& x);

}  // namespace heed
