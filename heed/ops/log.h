// y = ln x,   ∂y/∂x = 1 / x
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor log(const Tensor& x);

}  // namespace heed
