// The same values in another element type, or on another backend. The gradient goes back the same
// way; where the new type is i32 there is none.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x itself where it has that type already.
Tensor cast(const Tensor& x, DType dtype);

/// x itself where it lives there already.
Tensor to_place(const Tensor& x, const Place& place);

}  // namespace heed
