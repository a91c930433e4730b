// y = max(0, x),   ∂y/∂x = 1 where x > 0, else 0
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor relu(const Tensor& x);

}  // namespace heed
