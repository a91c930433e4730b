// Matrix products over the last two axes; batch axes in front broadcast.
//
//   C = s A B        dA = s dC Bᵀ      dB = s Aᵀ dC        (A, B after any transposition)
//   Y = X Wᵀ + b     dX = dY W         dW = dYᵀ X          db = Σ_rows dY
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

struct MatmulOptions {
  bool transpose_a = false;  // a is [..., k, m]
  bool transpose_b = false;  // b is [..., n, k]
  double scale = 1;
};

/// scale · a [..., m, k] b [..., k, n] → [..., m, n]
Tensor matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options = {});

/// x [..., D_in], weight [D_out, D_in], bias [D_out] or undefined → [..., D_out]
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace heed
