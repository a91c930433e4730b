// Axes in another order, without copying:
//
//   y axis i is x axis order[i]        dx axis order[i] is dy axis i
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

Tensor permute(const Tensor& x, std::span<const int> order);
Tensor permute(const Tensor& x, std::initializer_list<int> order);

/// Exchanges axes a and b.
Tensor transpose(const Tensor& x, int a = -2, int b = -1);

}  // namespace heed
