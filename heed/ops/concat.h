// Joins tensors along an axis; the gradient of each is its part of dy, as a view.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

/// Lengths may differ along `axis` only.
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);

}  // namespace heed
