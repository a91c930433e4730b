// y = x σ(x),   ∂y/∂x = σ(x) (1 + x (1 − σ(x)))
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor silu(const Tensor& x);

}  // namespace heed
