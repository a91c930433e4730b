#include "heed/ops/unit_rows.h"

#include <cmath>

#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/reduced.h"
#include "heed/ops/rows.h"

namespace heed {
namespace {

/// y composed from primitives; fills scale, 1 / ‖x‖.
Tensor compose_unit_rows(NormalisedRows& rows, double epsilon) {
  const Tensor square =
      reduced_rows(Reduction::sum, mapped(function<fn::Multiply>, {rows.x, rows.x}));
  const Tensor least = Tensor::full({1, 1}, epsilon * epsilon, square.place());
  map_into(square, function<fn::Select>, {square, square, least});
  rows.scale = mapped(function<fn::ReciprocalSqrt>, {square});
  return mapped(function<fn::Multiply>, {rows.x, rows.scale});
}

void compose_unit_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g) {
  const Tensor dy = as_rows(g.of(0), "unit_rows");
  const Tensor unit = mapped(function<fn::Multiply>, {rows.x, rows.scale});
  const Tensor along = reduced_rows(Reduction::sum, mapped(function<fn::Multiply>, {dy, unit}));
  map_into(unit, function<fn::Multiply>, {unit, along});
  map_into(unit, function<fn::Subtract>, {dy, unit});
  map_into(unit, function<fn::Multiply>, {unit, rows.scale});
  g.add(0, shaped(unit, shape));
}

// Uses the kernels of RMS norm with w = 1 / √D: x / √(Σ x² / D) · w. What they add to the mean
// square matters only in rows of zeros, whose scale is then set to that of ε.
constexpr double invisible = 1e-37;
constexpr double most_scale = 1e18;

void correct_zeros(const Tensor& scale, double of_zeros) {
  const Tensor most = Tensor::full({1, 1}, most_scale, scale.place());
  const Tensor is_usual = mapped(function<fn::Less>, {scale, most});
  const Tensor other = Tensor::full({1, 1}, of_zeros, scale.place());
  map_into(scale, function<fn::Select>, {is_usual, scale, other});
}

}  // namespace

Tensor unit_rows(const Tensor& x, double epsilon) {
  if (x.dtype() == DType::bf16) {
    return cast(unit_rows(widened(x), epsilon), x.dtype());
  }
  const double root = std::sqrt(static_cast<double>(x.size(-1)));
  NormalisedRows rows{as_rows(x, "unit_rows"), {}, {}, {}};
  rows.weight = Tensor::full({x.size(-1)}, root > 0 ? 1 / root : 0, x.place());
  Tensor y = fused_norm(rows, {}, invisible, false);
  const bool is_fused = y.defined();
  y = is_fused ? y : compose_unit_rows(rows, epsilon);
  return record(shaped(y, x.shape()), {x, Tensor()},
                [rows, shape = x.shape(), is_fused, of_zeros = root / epsilon](Gradients& g) {
                  if (is_fused) {
                    correct_zeros(rows.scale, of_zeros);
                    fused_norm_gradient(rows, shape, g);
                  } else {
                    compose_unit_gradient(rows, shape, g);
                  }
                });
}

}  // namespace heed
