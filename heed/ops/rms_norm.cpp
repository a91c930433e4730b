#include "heed/ops/rms_norm.h"

#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon) {
  const Tensor rows = as_rows(x, "rms_norm");
  require_row_vector(weight, x, "rms_norm");
  const Tensor r = reciprocal_root_mean_square(rows, epsilon);
  const Tensor y = mapped(function<fn::Multiply>, {rows, r});
  if (weight) {
    map_into(y, function<fn::Multiply>, {y, weight});
  }
  return record(
      shaped(y, x.shape()), {x, weight},
      [rows, r, weight = weight ? weight.detached() : Tensor(), shape = x.shape()](Gradients& g) {
        const Tensor dy = as_rows(g.of(0), "rms_norm");
        const Tensor unit = mapped(function<fn::Multiply>, {rows, r});
        if (g.wanted(1)) {
          g.add(1, mapped(function<fn::Multiply>, {dy, unit}));
        }
        if (g.wanted(0)) {
          const Tensor du = weight ? mapped(function<fn::Multiply>, {dy, weight}) : dy;
          const Tensor along = row_mean(mapped(function<fn::Multiply>, {du, unit}));
          map_into(unit, function<fn::Multiply>, {unit, along});
          map_into(unit, function<fn::Subtract>, {du, unit});
          map_into(unit, function<fn::Multiply>, {unit, r});
          g.add(0, shaped(unit, shape));
        }
      });
}

}  // namespace heed
