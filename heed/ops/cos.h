// y = cos x,   ∂y/∂x = −sin x
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor cos(const Tensor& x);

}  // namespace heed
