#include "heed/ops/matmul.h"

#include <utility>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/mapped.h"
#include "heed/ops/products.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// out ← alpha · a b + beta · out, beta 0 or 1. Empty products do not reach the backend.
void multiply_into(const Tensor& out, const View& a, const View& b, double alpha, double beta) {
  if (out.numel() == 0) {
    return;
  }
  if (a.shape[-1] > 0) {
    out.backend().matmul(out.view(), a, b, alpha, beta);
  } else if (beta == 0) {
    out.backend().fill(out.view(), 0);
  }
}

Shape with_matrix(Shape batch, int64_t rows, int64_t columns) {
  return batch.push(rows).push(columns);
}

Shape batch_of(const View& matrices) {
  Shape batch = matrices.shape;
  return batch.erase(batch.rank() - 1).erase(batch.rank() - 1);
}

/// scale · a b; batch axes broadcast.
Tensor product(const View& a, const View& b, double scale, const Place& place) {
  const Shape batch = broadcast(batch_of(a), batch_of(b), "matmul");
  Tensor out = Tensor::empty(with_matrix(batch, a.shape[-2], b.shape[-1]), place);
  multiply_into(out, broadcast_to(a, with_matrix(batch, a.shape[-2], a.shape[-1])),
                broadcast_to(b, with_matrix(batch, b.shape[-2], b.shape[-1])), scale, 0);
  return out;
}

View oriented(const View& matrices, bool transpose) {
  return transpose ? transposed(matrices) : matrices;
}

}  // namespace

Tensor applied(AfterProduct f, const Tensor& x) {
  switch (f) {
    case AfterProduct::relu:
      return relu(x);
    case AfterProduct::gelu:
      return gelu(x);
    case AfterProduct::silu:
      return silu(x);
    case AfterProduct::tanh:
      return tanh(x);
    case AfterProduct::sigmoid:
      return sigmoid(x);
    case AfterProduct::relu6:
      return clamp(x, 0, 6);
    case AfterProduct::nothing:
      break;
  }
  return x;
}

Tensor matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options) {
  if (is_half(a.dtype()) || is_half(b.dtype())) {
    return matmul(widened(a), widened(b), options);
  }
  require_one_place(a, b, "matmul");
  require(a.rank() >= 2 && b.rank() >= 2, "matmul: saw shapes {} and {}, needs matrices",
          to_string(a.shape()), to_string(b.shape()));
  // With one matrix on the right, all rows of the left form one tall matrix, and dB needs no batch.
  const bool tall = b.rank() == 2 && a.rank() > 2 && !options.transpose_a;
  const Tensor left = tall ? as_rows(a, "matmul") : a.detached();
  const View lhs = oriented(left.view(), options.transpose_a);
  const View rhs = oriented(b.view(), options.transpose_b);
  require(lhs.shape[-1] == rhs.shape[-2],
          "matmul: saw {}{} and {}{}, whose inner axes {} and {} differ", to_string(a.shape()),
          options.transpose_a ? " transposed" : "", to_string(b.shape()),
          options.transpose_b ? " transposed" : "", lhs.shape[-1], rhs.shape[-2]);
  Tensor c = product(lhs, rhs, options.scale, a.place());
  if (tall) {
    c = shaped(c, a.shape().with(-1, rhs.shape[-1]));
  }
  const Shape a_shape = a.shape();
  return record(c, {a, b}, [left, b = b.detached(), options, tall, a_shape](Gradients& g) {
    const Tensor dc = tall ? as_rows(g.of(0), "matmul") : g.of(0);
    const View lhs = oriented(left.view(), options.transpose_a);
    const View rhs = oriented(b.view(), options.transpose_b);
    const auto [s, place] = std::pair(options.scale, b.place());
    if (g.wanted(0)) {
      Tensor da = options.transpose_a ? product(rhs, transposed(dc.view()), s, place)
                                      : product(dc.view(), transposed(rhs), s, place);
      g.add(0, tall ? shaped(da, a_shape) : std::move(da));
    }
    if (g.wanted(1)) {
      g.add(1, options.transpose_b ? product(transposed(dc.view()), lhs, s, place)
                                   : product(transposed(lhs), dc.view(), s, place));
    }
  });
}

Tensor linear(const Tensor& x, const Weight& weight, const Tensor& bias,
              const LinearOptions& options) {
  if (is_half(x.dtype())) {
    return linear(widened(x), weight, bias, options);
  }
  require(x.place() == weight.place(), "linear: saw x and weight in two places, needs one");
  require(weight.shape().rank() == 2 && x.rank() > 0 && x.size(-1) == weight.size(1),
          "linear: saw x {} and weight {}, needs weight [D_out, D_in] and x [..., D_in]",
          to_string(x.shape()), to_string(weight.shape()));
  const Tensor rows = as_rows(x, "linear");
  const Tensor y = Tensor::empty({rows.size(0), weight.size(0)}, x.place());
  if (bias) {
    require_one_place(x, bias, "linear");
    require(bias.shape() == Shape{weight.size(0)}, "linear: saw bias {}, needs [{}]",
            to_string(bias.shape()), weight.size(0));
  }
  const Tensor watched = weight.serves() ? Tensor() : weight.master();
  const bool is_recorded = recording({x, watched, bias});
  const Multiplied by = multiplied(weight, is_recorded, options.products);
  const bool finishes = !is_recorded && by.products.finishes();
  by.products.forward(y.view(), rows.view(), bias,
                      finishes ? options.after : AfterProduct::nothing);
  const Shape x_shape = x.shape();
  const Tensor z = record(shaped(y, x_shape.with(-1, weight.size(0))), {x, by.weight, bias},
                          [rows, products = by.products, x_shape](Gradients& g) {
                            const Tensor dy = as_rows(g.of(0), "linear");
                            if (g.wanted(0)) {
                              Tensor dx = Tensor::empty(rows.shape(), rows.place());
                              products.backward(dx.view(), dy.view(), false);
                              g.add(0, shaped(dx, x_shape));
                            }
                            if (g.wanted(1)) {
                              products.add_gradient(g, 1, dy.view(), rows.view());
                            }
                            g.add(2, dy);
                          });
  return finishes ? z : applied(options.after, z);
}

}  // namespace heed
