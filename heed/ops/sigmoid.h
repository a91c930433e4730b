// y = σ(x) = 1 / (1 + e⁻ˣ),   ∂y/∂x = y (1 − y)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor sigmoid(const Tensor& x);

}  // namespace heed
