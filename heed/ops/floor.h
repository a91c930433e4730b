// y = ⌊x⌋, the largest whole number not above x. Its gradient is zero wherever it has one, so none
// is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor floor(const Tensor& x);

}  // namespace heed
