// y = erf x = 2/√π ∫₀ˣ e^(−t²) dt,   ∂y/∂x = 2/√π e^(−x²)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor erf(const Tensor& x);

}  // namespace heed
