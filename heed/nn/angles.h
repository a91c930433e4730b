// Angles whose frequency falls with i = 0 … ⌈D/2⌉ − 1:
//
//   θ_i = p · base^(−2i/D)             the exponent would be 1 one step behind the last (Vaswani 2017)
//   θ_i = p · base^(−i/(⌈D/2⌉ − 1))    the exponent is 1 at the last (tensor2tensor, Marian, fairseq)
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

/// Where the exponent of the base is 1.
enum class SlowestWave { behind_the_last, the_last };

/// position […] of any element type → […, ⌈D/2⌉], in f64 if `dtype` is f64, else in f32. Uses no
/// host memory and has no gradient.
Tensor angles(const Tensor& position, int64_t width, double base, DType dtype,
              SlowestWave slowest = SlowestWave::behind_the_last);

}  // namespace heed
