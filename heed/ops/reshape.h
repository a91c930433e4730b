// The same elements in row-major order with another shape; dx is dy with x's shape. The result is a
// view if x's strides allow it, otherwise a copy.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "heed/tensor/tensor.h"

namespace heed {

Tensor reshape(const Tensor& x, const Shape& shape);
/// One length may be −1 and is computed from the others.
Tensor reshape(const Tensor& x, std::initializer_list<int64_t> lengths);

/// Removes `axis`, whose length is 1. Always a view.
Tensor squeeze(const Tensor& x, int axis);
/// Inserts an axis of length 1 as axis `axis` of the result. Always a view.
Tensor unsqueeze(const Tensor& x, int axis);

}  // namespace heed
