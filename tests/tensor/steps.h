// Small differentiable steps for tests of the tape itself, written on the primitives alone: this layer
// knows no ops.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tape.h"

namespace heed::test {

inline Tensor mapped(Function f, std::initializer_list<Tensor> inputs, MapScalars scalars = {}) {
  Shape shape = inputs.begin()->shape();
  for (const Tensor& input : inputs) {
    shape = broadcast(shape, input.shape(), "mapped");
  }
  Tensor out = Tensor::empty(shape, inputs.begin()->place());
  std::vector<View> views;
  for (const Tensor& input : inputs) {
    views.push_back(broadcast_to(input.view(), shape));
  }
  out.backend().map(f, out.view(), views, scalars);
  return out;
}

/// x + y; passes the same gradient tensor to both.
inline Tensor plus(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Add>, {x, y}), {x, y}, [](Gradients& g) {
    g.add(0, g.of(0));
    g.add(1, g.of(0));
  });
}

inline Tensor times(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Multiply>, {x, y}), {x, y},
                [x = x.detached(), y = y.detached()](Gradients& g) {
                  g.add(0, mapped(function<fn::Multiply>, {g.of(0), y}));
                  g.add(1, mapped(function<fn::Multiply>, {g.of(0), x}));
                });
}

/// The same memory under a new name.
inline Tensor renamed(const Tensor& x) {
  return record(x.detached(), {x}, [](Gradients& g) { g.add(0, g.of(0)); });
}

/// The same values, its gradient written by way of `into`.
inline Tensor passed_into(const Tensor& x) {
  return record(x.clone(), {x}, [](Gradients& g) {
    const Tensor dx = g.into(0);
    const View operands[] = {dx.view(), g.of(0).view()};
    dx.backend().map(function<fn::Add>, dx.view(), operands, {});
  });
}

/// Σ x; its gradient is one number with stride 0.
inline Tensor total(const Tensor& x) {
  Shape ones = x.shape();
  for (int axis = 0; axis < ones.rank(); ++axis) {
    ones[axis] = 1;
  }
  Tensor out = Tensor::empty({}, x.place());
  x.backend().reduce(Reduction::sum, dense_view(out.view().data, x.dtype(), ones), x.view());
  return record(out, {x}, [shape = x.shape()](Gradients& g) {
    const Tensor dy = g.of(0);
    g.add(0, dy.seen_as(broadcast_to(dy.view(), shape)));
  });
}

}  // namespace heed::test
