// The closed plain descriptions that parts lower themselves to, and that kernels are built from:
// nothing switches on a name.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "heed/tensor/tensor.h"

namespace heed {

/// f of the additive score.
enum class Activation : uint8_t { tanh, relu, sigmoid, gelu };

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
};
using LoweredScore = std::variant<Dot, Additive>;

/// Weights slot by slot, at most divided by one number a row: softmax, relu, sigmoid.
struct Streaming {
  enum class Kind : uint8_t { exp, relu, sigmoid } kind = Kind::exp;
  double bias = 0;
  bool subtract_log_count = false;  // bias − log n_i
  enum class Divide : uint8_t { nothing, count, sum } divide = Divide::sum;
};
/// Weights from a threshold a row: α-entmax (2: sparsemax, 1.5: entmax15) or the k largest.
struct Threshold {
  double alpha = 0;
  int64_t k = 0;
};
using LoweredNormaliser = std::variant<Streaming, Threshold>;

/// e [M, G, P, R, S] as the description says, from plain differentiable ops.
Tensor evaluate(const LoweredScore& score);

}  // namespace heed
