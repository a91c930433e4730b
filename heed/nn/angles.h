// Angles that turn faster in front and slower behind: θ_i = p · base^(−2i/D), i = 0 … ⌈D/2⌉ − 1.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

/// position […] of any element type → […, ⌈D/2⌉], f64 where `dtype` is, else f32. Touches no host
/// memory and has no gradient.
Tensor angles(const Tensor& position, int64_t width, double base, DType dtype);

}  // namespace heed
