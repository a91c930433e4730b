// Rotary positions (Su 2021): pairs of neighbouring components are rotated by an angle proportional
// to the position p, so that the product of a query and a key depends on their distance:
//
//   θ_i = p · base^(−2i/d)
//   y_2i   = x_2i cos θ_i − x_2i+1 sin θ_i        dx: dy rotated by −θ
//   y_2i+1 = x_2i sin θ_i + x_2i+1 cos θ_i
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x […, d] with d even; position (of any element type) broadcasts over all axes of x but the last.
Tensor rotate(const Tensor& x, const Tensor& position, double base = 10000);

}  // namespace heed
