#include "heed/ops/softmax.h"

#include "heed/device/kernel/softmax.h"
#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/ops/row_maximum.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// y ← softmax of the rows x, composed from primitives.
void compose_softmax(const Tensor& y, const Tensor& x) {
  map_into(y, function<fn::Subtract>, {x, row_maximum(x)});
  map_into(y, function<fn::Exp>, {y});
  map_into(y, function<fn::Divide>, {y, row_total(y)});
}

/// dx = y (dy − Σ_k dy_k y_k), composed from primitives.
void compose_softmax_gradient(const Tensor& dx, const Tensor& dy, const Tensor& y) {
  map_into(dx, function<fn::Multiply>, {dy, y});
  const Tensor dot = reduced_rows(Reduction::sum, dx);
  map_into(dx, function<fn::Subtract>, {dy, dot});
  map_into(dx, function<fn::Multiply>, {dx, y});
}

}  // namespace

Tensor softmax(const Tensor& x) {
  if (x.dtype() == DType::bf16) {
    return cast(softmax(widened(x)), x.dtype());
  }
  const Tensor rows = as_rows(x, "softmax");
  const Tensor y = Tensor::empty(rows.shape(), x.place());
  if (y.numel() > 0) {
    if (!x.backend().run_fused(SoftmaxRows{y.view(), rows.view()})) {
      compose_softmax(y, rows);
    }
  }
  return record(shaped(y, x.shape()), {x}, [y, shape = x.shape()](Gradients& g) {
    const Tensor dy = as_rows(g.of(0), "softmax");
    const Tensor dx = Tensor::empty(y.shape(), y.place());
    if (dx.numel() > 0) {
      if (!y.backend().run_fused(SoftmaxGradient{dx.view(), dy.view(), y.view()})) {
        compose_softmax_gradient(dx, dy, y);
      }
    }
    g.add(0, shaped(dx, shape));
  });
}

Tensor log_softmax(const Tensor& x) {
  if (x.dtype() == DType::bf16) {
    return cast(log_softmax(widened(x)), x.dtype());
  }
  const Tensor rows = as_rows(x, "log_softmax");
  const Tensor most = row_maximum(rows);
  const Tensor y = mapped(function<fn::Subtract>, {rows, most});
  {
    const Tensor total = row_total(mapped(function<fn::Exp>, {y}));
    map_into(total, function<fn::Log>, {total});
    map_into(y, function<fn::Subtract>, {y, total});
  }
  return record(shaped(y, x.shape()), {x}, [y, shape = x.shape()](Gradients& g) {
    const Tensor dy = mapped(function<fn::IsFinite>, {y});
    map_into(dy, function<fn::SelectOr>, {dy, as_rows(g.of(0), "log_softmax")});
    const Tensor dx = mapped(function<fn::Exp>, {y});
    map_into(dx, function<fn::Multiply>, {dx, reduced_rows(Reduction::sum, dy)});
    map_into(dx, function<fn::Subtract>, {dy, dx});
    g.add(0, shaped(dx, shape));
  });
}

}  // namespace heed
