// y = tanh x,   ∂y/∂x = 1 − y²
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor tanh(const Tensor& x);

}  // namespace heed
