// y = √x,   ∂y/∂x = 1 / (2 y)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor sqrt(const Tensor& x);

}  // namespace heed
