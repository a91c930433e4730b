// y = sin x,   ∂y/∂x = cos x
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor sin(const Tensor& x);

}  // namespace heed
