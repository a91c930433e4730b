#include "heed/ops/elementwise.h"

#include <utility>

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// y = f(x), dx = gradient(dy, y).
Tensor by_result(Function f, Function gradient, const Tensor& x) {
  Tensor y = mapped(f, {x});
  if (!recording({x})) {
    return y;
  }
  // The tensor with the history is a second handle: the first one is moved into the closure, so that no
  // reference is counted twice.
  Tensor named = y.seen_as(y.view());
  return record(std::move(named), {x}, [y = std::move(y), gradient](Gradients& g) {
    g.add(0, mapped_over(gradient, g.take(), {y}));
  });
}

/// y = f(x), dx = gradient(dy, x).
Tensor by_input(Function f, Function gradient, const Tensor& x) {
  return record(mapped(f, {x}), {x}, [x = x.detached(), gradient](Gradients& g) {
    g.add(0, mapped_over(gradient, g.take(), {x}));
  });
}

}  // namespace

Tensor exp(const Tensor& x) { return by_result(function<fn::Exp>, function<fn::Multiply>, x); }
Tensor log(const Tensor& x) { return by_input(function<fn::Log>, function<fn::Divide>, x); }
Tensor sqrt(const Tensor& x) {
  return by_result(function<fn::Sqrt>, function<fn::SqrtGradient>, x);
}

Tensor sin(const Tensor& x) {
  return record(mapped(function<fn::Sin>, {x}), {x}, [x = x.detached()](Gradients& g) {
    Tensor dx = mapped(function<fn::Cos>, {x});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    g.add(0, std::move(dx));
  });
}

Tensor cos(const Tensor& x) {
  return record(mapped(function<fn::Cos>, {x}), {x}, [x = x.detached()](Gradients& g) {
    Tensor dx = mapped(function<fn::Sin>, {x});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    map_into(dx, function<fn::Affine>, {dx}, {.a = -1});
    g.add(0, std::move(dx));
  });
}

Tensor tanh(const Tensor& x) {
  return by_result(function<fn::Tanh>, function<fn::TanhGradient>, x);
}
Tensor sigmoid(const Tensor& x) {
  return by_result(function<fn::Sigmoid>, function<fn::SigmoidGradient>, x);
}
Tensor relu(const Tensor& x) {
  return by_result(function<fn::Relu>, function<fn::ReluGradient>, x);
}
Tensor silu(const Tensor& x) { return by_input(function<fn::Silu>, function<fn::SiluGradient>, x); }
Tensor softplus(const Tensor& x) {
  return by_input(function<fn::Softplus>, function<fn::SoftplusGradient>, x);
}
Tensor erf(const Tensor& x) { return by_input(function<fn::Erf>, function<fn::ErfGradient>, x); }
Tensor gelu(const Tensor& x) { return by_input(function<fn::Gelu>, function<fn::GeluGradient>, x); }
Tensor gelu_tanh(const Tensor& x) {
  return by_input(function<fn::GeluTanh>, function<fn::GeluTanhGradient>, x);
}

Tensor floor(const Tensor& x) { return mapped(function<fn::Floor>, {x.detached()}); }

}  // namespace heed
