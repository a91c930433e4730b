#include "heed/ops/rms_norm.h"

#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/rows.h"

namespace heed {
namespace {

/// y composed from primitives; fills scale.
Tensor compose_rms(NormalisedRows& rows, double epsilon) {
  rows.scale = reciprocal_root_mean_square(rows.x, epsilon);
  Tensor y = mapped(function<fn::Multiply>, {rows.x, rows.scale});
  if (rows.weight) {
    map_into(y, function<fn::Multiply>, {y, rows.weight});
  }
  return y;
}

void compose_rms_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g) {
  const Tensor dy = as_rows(g.of(0), "rms_norm");
  const Tensor unit = mapped(function<fn::Multiply>, {rows.x, rows.scale});
  if (g.wanted(1)) {
    g.add(1, mapped(function<fn::Multiply>, {dy, unit}));
  }
  if (g.wanted(0)) {
    const Tensor du = rows.weight ? mapped(function<fn::Multiply>, {dy, rows.weight}) : dy;
    const Tensor along = row_mean(mapped(function<fn::Multiply>, {du, unit}));
    map_into(unit, function<fn::Multiply>, {unit, along});
    map_into(unit, function<fn::Subtract>, {du, unit});
    map_into(unit, function<fn::Multiply>, {unit, rows.scale});
    g.add(0, shaped(unit, shape));
  }
}

}  // namespace

Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon) {
  require_row_vector(weight, x, "rms_norm");
  if (x.dtype() == DType::bf16) {
    return cast(rms_norm(widened(x), weight, epsilon), x.dtype());
  }
  NormalisedRows rows{as_rows(x, "rms_norm"), {}, {}, weight ? weight.detached() : Tensor()};
  Tensor y = fused_norm(rows, {}, epsilon, false);
  y = y ? y : compose_rms(rows, epsilon);
  return record(shaped(y, x.shape()), {x, weight}, [rows, shape = x.shape()](Gradients& g) {
    if (!fused_norm_gradient(rows, shape, g)) {
      compose_rms_gradient(rows, shape, g);
    }
  });
}

}  // namespace heed
