#include "heed/ops/layer_norm.h"

#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// x̂ from what forward kept.
Tensor standardised(const Tensor& rows, const Tensor& centre, const Tensor& r) {
  Tensor out = mapped(function<fn::Subtract>, {rows, centre});
  map_into(out, function<fn::Multiply>, {out, r});
  return out;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  const Tensor rows = as_rows(x, "layer_norm");
  require_row_vector(weight, x, "layer_norm");
  require_row_vector(bias, x, "layer_norm");
  const Tensor centre = row_mean(rows);
  const Tensor y = mapped(function<fn::Subtract>, {rows, centre});
  const Tensor r = reciprocal_root_mean_square(y, epsilon);
  map_into(y, function<fn::Multiply>, {y, r});
  if (weight) {
    map_into(y, function<fn::Multiply>, {y, weight});
  }
  if (bias) {
    map_into(y, function<fn::Add>, {y, bias});
  }
  return record(shaped(y, x.shape()), {x, weight, bias},
                [rows, centre, r, weight = weight ? weight.detached() : Tensor(),
                 shape = x.shape()](Gradients& g) {
                  const Tensor dy = as_rows(g.of(0), "layer_norm");
                  const Tensor unit = standardised(rows, centre, r);
                  if (g.wanted(1)) {
                    g.add(1, mapped(function<fn::Multiply>, {dy, unit}));
                  }
                  g.add(2, dy);
                  if (g.wanted(0)) {
                    const Tensor du = weight ? mapped(function<fn::Multiply>, {dy, weight}) : dy;
                    const Tensor along = row_mean(mapped(function<fn::Multiply>, {du, unit}));
                    const Tensor dx = mapped(function<fn::Subtract>, {du, row_mean(du)});
                    map_into(unit, function<fn::Multiply>, {unit, along});
                    map_into(dx, function<fn::Subtract>, {dx, unit});
                    map_into(dx, function<fn::Multiply>, {dx, r});
                    g.add(0, shaped(dx, shape));
                  }
                });
}

}  // namespace heed
