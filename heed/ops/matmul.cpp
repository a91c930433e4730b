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

/// Whether x is in two bytes that its backend does not compute with.
bool is_stored_only(const Tensor& x) { return is_half(x.dtype()) && !x.place().has_gradients(); }

/// The gradient of an f that follows from its result.
struct AfterGradient {
  AfterProduct f;

  bool changes() const { return f != AfterProduct::nothing; }
  bool is_by_result() const {
    return f == AfterProduct::nothing || f == AfterProduct::relu || f == AfterProduct::tanh ||
           f == AfterProduct::sigmoid;
  }
  /// dz from dy and y = f(z).
  Tensor before(const Tensor& dy, const Tensor& y) const {
    return mapped(f == AfterProduct::relu   ? function<fn::ReluGradient>
                  : f == AfterProduct::tanh ? function<fn::TanhGradient>
                                            : function<fn::SigmoidGradient>,
                  {dy, y});
  }
};

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
  if (is_stored_only(a) || is_stored_only(b)) {
    return matmul(widened(a), widened(b), options);
  }
  const Place place = common_place(a, b, "matmul");
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
  Tensor c = product(lhs, rhs, options.scale, place);
  if (tall) {
    c = shaped(c, a.shape().with(-1, rhs.shape[-1]));
  }
  const Shape a_shape = a.shape();
  return record(c, {a, b}, [left, b = b.detached(), options, tall, a_shape, place](Gradients& g) {
    const Tensor dc = tall ? as_rows(g.of(0), "matmul") : g.of(0);
    const View lhs = oriented(left.view(), options.transpose_a);
    const View rhs = oriented(b.view(), options.transpose_b);
    const double s = options.scale;
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
  if (is_stored_only(x)) {
    return linear(widened(x), weight, bias, options);
  }
  require(x.place().exact() == weight.place(), "linear: saw x and weight in two places, needs one");
  require(weight.shape().rank() == 2 && x.rank() > 0 && x.size(-1) == weight.size(1),
          "linear: saw x {} and weight {}, needs weight [D_out, D_in] and x [..., D_in]",
          to_string(x.shape()), to_string(weight.shape()));
  const Tensor rows = as_rows(x, "linear");
  const Tensor y = Tensor::empty({rows.size(0), weight.size(0)}, x.place());
  if (bias) {
    common_place(x, bias, "linear");
    require(bias.shape() == Shape{weight.size(0)}, "linear: saw bias {}, needs [{}]",
            to_string(bias.shape()), weight.size(0));
  }
  const Tensor watched = weight.serves() ? Tensor() : weight.master();
  const bool is_recorded = recording({x, watched, bias});
  const Multiplied by = multiplied(weight, bias, is_recorded, options.products);
  const AfterGradient after{options.after};
  const bool finishes = x.dtype() == weight.place().dtype && by.products.finishes() &&
                        (!is_recorded || after.is_by_result());
  by.products.forward(y.view(), rows.view(), bias,
                      finishes ? options.after : AfterProduct::nothing);
  Tensor shaped_y = shaped(y, x.shape().with(-1, weight.size(0)));
  if (!is_recorded) {
    return finishes ? shaped_y : applied(options.after, shaped_y);
  }
  const Tensor result = finishes && after.changes() ? shaped_y : Tensor();
  const Tensor z = record(shaped_y, {x, by.weight, by.bias},
                          [rows, products = by.products, after, result](Gradients& g) {
                            const Tensor dz = result ? after.before(g.of(0), result) : g.of(0);
                            const Tensor dy = as_rows(dz, "linear");
                            if (g.wanted(0)) {
                              Tensor dx = Tensor::empty(rows.shape(), rows.place());
                              products.backward(dx.view(), dy.view(), false);
                              g.add(0, shaped(dx, dz.shape().with(-1, rows.size(1))));
                            }
                            products.add_gradients(g, dy, rows);
                          });
  return finishes ? z : applied(options.after, z);
}

}  // namespace heed
