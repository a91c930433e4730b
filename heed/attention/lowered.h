// The closed plain descriptions that parts lower themselves to, and that kernels are built from:
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
/// Taken of prepared keys once for all steps; no gradient runs through them. Undefined where
/// nothing was taken.
struct KeyExponentials {
  Tensor grown;  // [M, G, S, A] e^(2k)
  Tensor reach;  // [M, G, S] max |k| of a slot
};
/// e_ij = vᵀ f(q_i + k_j)
struct Additive {
  Tensor query;  // [M, G, P, R, A], bias included
  Tensor keys;   // [M, G, S, A]
  Tensor v;      // [G, P, A]
  Activation activation = Activation::tanh;
  KeyExponentials exponentials = {};
};
using LoweredScore = std::variant<Dot, Additive>;

/// e [M, G, P, R, S] as the description says, from plain differentiable ops.
Tensor evaluate(const LoweredScore& score);

}  // namespace heed
