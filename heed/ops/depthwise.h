// Convolution over time of each channel by itself (depthwise; cross-correlation, as PyTorch's with as
// many groups as channels). Steps before the first and after the last count as zero:
//
//   y[b, t, c]      = bias[c] + Σ_k weight[k, c] x[b, t + k − left, c]
//   dx[b, t, c]     = Σ_k weight[k, c] dy[b, t − k + left, c]
//   dweight[k, c]   = Σ_b Σ_t dy[b, t, c] x[b, t + k − left, c]
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

/// x [B, T, C], weight [K, C], bias [C] or undefined → [B, T, C]; 0 ≤ left < K.
Tensor depthwise_conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t left);

}  // namespace heed
