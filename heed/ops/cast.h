// The same values in another element type or on another backend. The gradient is converted back;
// there is none where the new type is i32.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// Returns x itself if it has that type already.
Tensor cast(const Tensor& x, DType dtype);

/// Returns x itself if it is there already.
Tensor to_place(const Tensor& x, const Place& place);

}  // namespace heed
