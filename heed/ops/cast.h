// The same values in another element type or on another backend. The gradient is converted back;
// there is none where the new type is i32, or one that the backend only stores (f16, u8, mostly bf16).
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// Returns x itself if it has that type already.
Tensor cast(const Tensor& x, DType dtype);

/// x in f32 if it is bf16 or f16, otherwise x itself.
Tensor widened(const Tensor& x);

/// Returns x itself if it is there already.
Tensor to_place(const Tensor& x, const Place& place);

}  // namespace heed
