// Parts of an axis, without copying:
//
//   y[…, i, …] = x[…, begin + i · step, …]        dx[…, begin + i · step, …] += dy[…, i, …]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// `count` elements of `axis` from `begin` on, `step` apart (which may be negative).
Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t count, int64_t step = 1);

/// Consecutive pieces of `axis`, one for each size; the sizes must fill the axis.
std::vector<Tensor> split(const Tensor& x, int axis, std::span<const int64_t> sizes);
std::vector<Tensor> split(const Tensor& x, int axis, std::initializer_list<int64_t> sizes);

}  // namespace heed
