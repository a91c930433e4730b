// The last row of each sequence:
//
//   y[b] = x[b, n_b − 1]        dx[b, n_b − 1] += dy[b]
//
// An empty sequence gives zeros.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x [B, T, D], lengths i32 [B] → [B, D].
Tensor last_by_lengths(const Tensor& x, const Tensor& lengths);

}  // namespace heed
