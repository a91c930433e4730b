#include "heed/ops/layer_norm.h"

#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/rows.h"

namespace heed {
namespace {

/// y composed from primitives; fills mean and scale.
Tensor compose_layer(NormalisedRows& rows, const Tensor& bias, double epsilon) {
  rows.mean = row_mean(rows.x);
  Tensor y = mapped(function<fn::Subtract>, {rows.x, rows.mean});
  rows.scale = reciprocal_root_mean_square(y, epsilon);
  map_into(y, function<fn::Multiply>, {y, rows.scale});
  if (rows.weight) {
    map_into(y, function<fn::Multiply>, {y, rows.weight});
  }
  if (bias) {
    map_into(y, function<fn::Add>, {y, bias});
  }
  return y;
}

void compose_layer_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g) {
  const Tensor dy = as_rows(g.of(0), "layer_norm");
  const Tensor unit = mapped(function<fn::Subtract>, {rows.x, rows.mean});
  map_into(unit, function<fn::Multiply>, {unit, rows.scale});
  if (g.wanted(1)) {
    g.add(1, mapped(function<fn::Multiply>, {dy, unit}));
  }
  g.add(2, dy);
  if (g.wanted(0)) {
    const Tensor du = rows.weight ? mapped(function<fn::Multiply>, {dy, rows.weight}) : dy;
    const Tensor along = row_mean(mapped(function<fn::Multiply>, {du, unit}));
    const Tensor dx = mapped(function<fn::Subtract>, {du, row_mean(du)});
    map_into(unit, function<fn::Multiply>, {unit, along});
    map_into(dx, function<fn::Subtract>, {dx, unit});
    map_into(dx, function<fn::Multiply>, {dx, rows.scale});
    g.add(0, shaped(dx, shape));
  }
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  require_row_vector(weight, x, "layer_norm");
  require_row_vector(bias, x, "layer_norm");
  if (x.dtype() == DType::bf16) {
    return cast(layer_norm(widened(x), weight, bias, epsilon), x.dtype());
  }
  NormalisedRows rows{as_rows(x, "layer_norm"), {}, {}, weight ? weight.detached() : Tensor()};
  Tensor y = fused_norm(rows, bias, epsilon, true);
  y = y ? y : compose_layer(rows, bias, epsilon);
  return record(shaped(y, x.shape()), {x, weight, bias}, [rows, shape = x.shape()](Gradients& g) {
    if (!fused_norm_gradient(rows, shape, g)) {
      compose_layer_gradient(rows, shape, g);
    }
  });
}

}  // namespace heed
