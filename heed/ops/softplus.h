// y = ln(1 + eˣ),   ∂y/∂x = σ(x)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor softplus(const Tensor& x);

}  // namespace heed
