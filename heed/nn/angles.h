// Angles whose frequency falls with i: θ_i = p · base^(−2i/D), i = 0 … ⌈D/2⌉ − 1.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

/// position […] of any element type → […, ⌈D/2⌉], in f64 if `dtype` is f64, else in f32. Uses no
/// host memory and has no gradient.
Tensor angles(const Tensor& position, int64_t width, double base, DType dtype);

}  // namespace heed
