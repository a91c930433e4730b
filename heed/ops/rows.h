// A tensor as a matrix of rows: what ops over the last axis work on. Private to this layer; nothing
// here is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x [..., D] seen as [N, D]; a copy only where x does not lie so. Fails for a scalar.
Tensor as_rows(const Tensor& x, const char* who);

/// The same elements in another shape; a copy only where x does not lie so.
Tensor shaped(const Tensor& x, const Shape& shape);

}  // namespace heed
