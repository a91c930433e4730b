// Reductions over axes. The reduced axes are removed, or stay with length 1 if `keep` is set.
//
//   y = Σ x        ∂y/∂x_j = 1
//   y = (1/n) Σ x  ∂y/∂x_j = 1/n
//   y = max x      ∂y/∂x_j = 1 at the argmax (the lowest index of a tie), else 0
#pragma once

#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keep = false);
Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keep = false);
/// Over all axes: one number.
Tensor sum(const Tensor& x);
Tensor mean(const Tensor& x);

Tensor max(const Tensor& x, int axis, bool keep = false);
/// The index of the largest element along `axis`, i32, without a gradient.
Tensor argmax(const Tensor& x, int axis, bool keep = false);

}  // namespace heed
