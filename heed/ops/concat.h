// Tensors one behind the other along an axis; each gets its own part of dy back, as a view.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

/// All lengths but `axis`'s are equal.
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);

}  // namespace heed
