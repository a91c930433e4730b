// 1 where it holds, else 0, in the operands' element type; operands broadcast. Constant almost
// everywhere, so without a gradient.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x = y
Tensor equal(const Tensor& x, const Tensor& y);
/// x < y
Tensor less(const Tensor& x, const Tensor& y);
/// x ≤ y
Tensor at_most(const Tensor& x, const Tensor& y);
/// lo ≤ x < hi
Tensor within(const Tensor& x, const Tensor& lo, const Tensor& hi);

}  // namespace heed
