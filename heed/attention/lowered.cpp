#include "heed/attention/lowered.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

Tensor activated(const Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::gelu:
      return gelu(x);
    default:
      return tanh(x);
  }
}

struct Evaluate {
  Tensor operator()(const Dot& s) const {
    return matmul(s.query, unsqueeze(s.keys, 2), {.transpose_b = true, .scale = s.scale});
  }
  Tensor operator()(const Additive& s) const {
    const Tensor query = unsqueeze(s.query, 4);                  // [M, G, P, R, 1, A]
    const Tensor keys = unsqueeze(unsqueeze(s.keys, 2), 3);      // [M, G, 1, 1, S, A]
    const Tensor v = unsqueeze(unsqueeze(s.v, 2), 4);            // [G, P, 1, A, 1]
    const Tensor inner = activated(query + keys, s.activation);  // [M, G, P, R, S, A]
    return squeeze(matmul(inner, v), -1);
  }
};

}  // namespace

Tensor evaluate(const LoweredScore& score) { return std::visit(Evaluate{}, score); }

}  // namespace heed
