// Each sequence backwards, its padding where it was:
//
//   y[b, t] = x[b, n_b − 1 − t] for t < n_b, else x[b, t]
//
// It is its own inverse, so dx is dy reversed the same way.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x [B, T, D], lengths i32 [B] → [B, T, D].
Tensor reverse_by_lengths(const Tensor& x, const Tensor& lengths);

}  // namespace heed
