// Masks and positions from lengths of sequences. Nothing here uses the host or has a gradient.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

/// [0, 1, …, count − 1] of the place's element type.
Tensor positions(int64_t count, const Place& place);

/// lengths i32 [B] → [B, width]: 1 where position < length, else 0.
Tensor mask_of_lengths(const Tensor& lengths, int64_t width, DType dtype);

}  // namespace heed
