// The plain descriptions that parts lower themselves to and that kernels understand, so that
// nothing switches on a name.
#pragma once

#include <variant>

#include "heed/device/kernel/attend.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// e_ij = scale · q_iᵀ k_j
struct Dot {
  Tensor query;  // [M, G, P, R, A]
  Tensor keys;   // [M, G, S, A]
  double scale = 1;
};
/// e_ij = vᵀ f(q_i + k_j)
struct Additive {
  Tensor query;  // [M, G, P, R, A], bias included
  Tensor keys;   // [M, G, S, A]
  Tensor v;      // [G, P, A]
  Activation activation = Activation::tanh;
  Tensor kernel_keys = {};  // what a kernel prepared from the keys (fused.h), if anything
};
using LoweredScore = std::variant<Dot, Additive>;

/// e [M, G, P, R, S] of a description, composed from differentiable ops.
Tensor evaluate(const LoweredScore& score);

}  // namespace heed
