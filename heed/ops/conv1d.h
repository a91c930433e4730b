// Convolution over time (cross-correlation, as PyTorch's):
//
//   y[b, t, o] = bias[o] + Σ_k Σ_c weight[o, k, c] x[b, t · stride + k · dilation − pad_left, c]
//
// As a product of matrices, with U[b, t, (k, c)] the inputs that each output sees: y = U weightᵀ,
// dweight = dyᵀ U, dU = dy weight, and each dU[·, ·, k, ·] is added to dx where it was read from x.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

struct Conv1dOptions {
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_left = 0;
  int64_t pad_right = 0;
};

/// x [B, T, C_in], weight [C_out, K, C_in], bias [C_out] or undefined → [B, T', C_out] with
/// T' = (T + pad_left + pad_right − dilation (K − 1) − 1) / stride + 1.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options = {});

}  // namespace heed
