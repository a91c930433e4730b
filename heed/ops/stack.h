// Joins tensors of one shape along a new axis: y[…, k, …] = x_k, dx_k = dy[…, k, …].
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

/// The new axis becomes axis `axis` of the result.
Tensor stack(std::span<const Tensor> parts, int axis);
Tensor stack(std::initializer_list<Tensor> parts, int axis);

}  // namespace heed
