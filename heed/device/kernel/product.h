// Products with a weight as it is, and the gradient of a weight and of its bias.
#pragma once

#include "heed/device/kernel/packed.h"

namespace heed {

/// out[m, n] ← f(Σ_k x[m, k] w[n, k] + bias[n])
struct PlainProduct {
  static constexpr const char* name = "multiply";
  View out;        // f32 [M, N], dense rows
  View x;          // f32 [M, K], any strides
  View weight;     // f32 w [N, K], any strides
  View bias = {};  // f32 [N], dense, or without data
  AfterProduct after = AfterProduct::nothing;
};

/// Of a packed product and of a plain one, where dy is the gradient before f:
///   dw[n, k] (+)= Σ_m dy[m, n] x[m, k];   db[n] (+)= Σ_m dy[m, n]
struct ProductGradient {
  static constexpr const char* name = "product_gradient";
  View dweight = {};                     // f32 [N, K], dense rows, or without data
  View dbias = {};                       // f32 [N], dense, or without data
  View dy;                               // f32 [M, N], any strides
  View x;                                // f32 [M, K], any strides
  Precision precision = Precision::f32;  // f32, or bf16, which rounds dy and x for dw
  bool adds_to_weight = false;
  bool adds_to_bias = false;
};

}  // namespace heed
