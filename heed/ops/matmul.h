// Matrix products over the last two axes; batch axes in front broadcast. Operands of bf16 or f16 are
// widened to f32 first.
//
//   C = s A B        dA = s dC Bᵀ      dB = s Aᵀ dC        (A, B after any transposition)
//   Y = f(Z), Z = X Wᵀ + b     dX = dZ W     dW = dZᵀ X     db = Σ_rows dZ
#pragma once

#include "heed/ops/weight.h"

namespace heed {

struct MatmulOptions {
  bool transpose_a = false;  // a is [..., k, m]
  bool transpose_b = false;  // b is [..., n, k]
  double scale = 1;
};

/// scale · a [..., m, k] b [..., k, n] → [..., m, n]
Tensor matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options = {});

class Products;

/// f(x), as the kernel of a product computes it.
Tensor applied(AfterProduct f, const Tensor& x);

struct LinearOptions {
  AfterProduct after = AfterProduct::nothing;  // f
  Products* products = nullptr;                // what this product shares with others
};

/// x [..., D_in], weight [D_out, D_in], bias [D_out] or undefined → [..., D_out]
Tensor linear(const Tensor& x, const Weight& weight, const Tensor& bias = {},
              const LinearOptions& options = {});

}  // namespace heed
