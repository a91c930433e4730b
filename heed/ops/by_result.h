// y = f(x), dx = gradient(dy, y): the form of tanh, σ, exp and √. Private to this layer.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor map_by_result(Function f, Function gradient, const Tensor& x);

}  // namespace heed
