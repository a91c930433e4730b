// y_j = Σ_{i ≤ j} x_i along the last axis,   dx_i = Σ_{j ≥ i} dy_j
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor running_sum(const Tensor& x);

}  // namespace heed
