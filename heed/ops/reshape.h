// The same elements in row-major order under another shape; dx is dy under x's shape. A view where
// x's strides allow it, a copy where they do not.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "heed/tensor/tensor.h"

namespace heed {

Tensor reshape(const Tensor& x, const Shape& shape);
/// One length may be −1: whatever the others leave.
Tensor reshape(const Tensor& x, std::initializer_list<int64_t> lengths);

/// Without `axis`, whose length is 1. Always a view.
Tensor squeeze(const Tensor& x, int axis);
/// With a new axis of length 1 that becomes axis `axis` of the result. Always a view.
Tensor unsqueeze(const Tensor& x, int axis);

}  // namespace heed
