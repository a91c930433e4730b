// A constant before and after an axis: y = [value…, x, value…]; dx is the middle of dy, as a view.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

Tensor pad(const Tensor& x, int axis, int64_t before, int64_t after, double value = 0);

}  // namespace heed
