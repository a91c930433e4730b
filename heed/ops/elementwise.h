// Functions of one element each.
//
//   y                                        ∂y/∂x
//   eˣ                                       y
//   ln x                                     1 / x
//   √x                                       1 / (2 y)
//   sin x                                    cos x
//   cos x                                    −sin x
//   tanh x                                   1 − y²
//   σ(x) = 1 / (1 + e⁻ˣ)                     y (1 − y)
//   relu x = max(0, x)                       1 where x > 0, else 0
//   silu x = x σ(x)                          σ(x) (1 + x (1 − σ(x)))
//   softplus x = ln(1 + eˣ)                  σ(x)
//   erf x = 2/√π ∫₀ˣ e^(−t²) dt              2/√π e^(−x²)
//   gelu x = x Φ(x)                          Φ(x) + x φ(x)
//   gelu_tanh x = ½ x (1 + t)                ½ (1 + t) + ½ x (1 − t²) u′
//   ⌊x⌋, the largest whole number ≤ x        not recorded: zero wherever there is one
//
// Φ and φ are the normal distribution and density (gelu: Hendrycks and Gimpel 2016); t = tanh u,
// u = √(2/π) (x + 0.044715 x³), u′ = √(2/π) (1 + 3 · 0.044715 x²).
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor silu(const Tensor& x);
Tensor softplus(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor gelu(const Tensor& x);
/// The approximation that BERT and GPT-2 were trained with.
Tensor gelu_tanh(const Tensor& x);
Tensor floor(const Tensor& x);

}  // namespace heed
