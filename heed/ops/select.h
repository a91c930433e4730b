// y = a where condition ≠ 0, else b; the three broadcast.
//
//   da = dy where condition ≠ 0, else 0;   db = dy where condition = 0, else 0
//
// Elements that are not chosen may be ±∞ or NaN. The condition gets no gradient.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// The condition may have another element type than a and b, such as a comparison of i32.
Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor select(const Tensor& condition, const Tensor& a, double b);
Tensor select(const Tensor& condition, double a, const Tensor& b);

}  // namespace heed
