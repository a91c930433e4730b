// Comparisons: 1 where they hold, else 0, in the operands' element type; operands broadcast. They
// are constant almost everywhere and have no gradient.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x = y
Tensor equal(const Tensor& x, const Tensor& y);
Tensor equal(const Tensor& x, double a);
/// x < y
Tensor less(const Tensor& x, const Tensor& y);
Tensor less(const Tensor& x, double a);
Tensor less(double a, const Tensor& x);
/// x ≤ y
Tensor at_most(const Tensor& x, const Tensor& y);
/// lo ≤ x < hi
Tensor within(const Tensor& x, const Tensor& lo, const Tensor& hi);

}  // namespace heed
