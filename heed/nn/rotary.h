// Rotary positions (Su 2021): pairs of neighbouring components turn with the position p, so that
// the product of a query and a key depends on how far apart they stand:
//
//   θ_i = p · base^(−2i/d)
//   y_2i   = x_2i cos θ_i − x_2i+1 sin θ_i        dx: dy turned by −θ
//   y_2i+1 = x_2i sin θ_i + x_2i+1 cos θ_i
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x […, d] with d even; position (of any element type) broadcasts over x's axes but the last.
Tensor rotate(const Tensor& x, const Tensor& position, double base = 10000);

}  // namespace heed
