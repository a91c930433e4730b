// Gaussian error linear unit (Hendrycks and Gimpel 2016). Φ and φ are the normal distribution and
// density.
//
//   gelu       y = x Φ(x),                      ∂y/∂x = Φ(x) + x φ(x)
//   gelu_tanh  y = ½ x (1 + t),                 ∂y/∂x = ½ (1 + t) + ½ x (1 − t²) u′
//              t = tanh u,  u = √(2/π) (x + 0.044715 x³),  u′ = √(2/π) (1 + 3 · 0.044715 x²)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor gelu(const Tensor& x);
/// The approximation that BERT and GPT-2 were trained with.
Tensor gelu_tanh(const Tensor& x);

}  // namespace heed
