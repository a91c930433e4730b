// y = eˣ,   ∂y/∂x = y
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor exp(const Tensor& x);

}  // namespace heed
