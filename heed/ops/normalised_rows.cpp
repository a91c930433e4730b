#include "heed/ops/normalised_rows.h"

#include "heed/device/kernel/norm.h"
#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/ops/rows.h"

namespace heed {
namespace {

double share(const Tensor& x) { return x.size(-1) == 0 ? 0 : 1 / static_cast<double>(x.size(-1)); }

View view_of(const Tensor& x) { return x ? x.view() : View(); }

}  // namespace

Tensor row_mean(const Tensor& x) {
  Tensor out = reduced_rows(Reduction::sum, x);
  map_into(out, function<fn::Affine>, {out}, {.a = share(x)});
  return out;
}

Tensor reciprocal_root_mean_square(const Tensor& x, double epsilon) {
  Tensor out = reduced_rows(Reduction::sum, mapped(function<fn::Multiply>, {x, x}));
  map_into(out, function<fn::Affine>, {out}, {.a = share(x), .b = epsilon});
  map_into(out, function<fn::ReciprocalSqrt>, {out});
  return out;
}

void require_row_vector(const Tensor& vector, const Tensor& x, const char* who) {
  if (vector) {
    require_one_place(x, vector, who);
    require(vector.shape() == Shape{x.size(-1)}, "{}: saw a weight or bias {}, needs [{}]", who,
            vector.shape(), x.size(-1));
  }
}

Tensor fused_norm(NormalisedRows& rows, const Tensor& bias, double epsilon, bool is_centred) {
  if (rows.x.numel() == 0 || !rows.x.backend().offers<RowNorm>()) {
    return {};
  }
  const Shape column{rows.x.size(0), 1};
  Tensor y = Tensor::empty(rows.x.shape(), rows.x.place());
  rows.mean = is_centred ? Tensor::empty(column, y.place()) : Tensor();
  rows.scale = Tensor::empty(column, y.place());
  const Tensor weight = rows.weight ? rows.weight.dense() : Tensor();
  const Tensor shift = bias ? bias.dense() : Tensor();
  const RowNorm call{.y = y.view(),
                     .mean = view_of(rows.mean),
                     .scale = rows.scale.view(),
                     .x = rows.x.view(),
                     .weight = view_of(weight),
                     .bias = view_of(shift),
                     .epsilon = epsilon};
  return rows.x.backend().run_fused(call) ? y : Tensor();
}

bool fused_norm_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g) {
  if (rows.x.numel() == 0 || !rows.x.backend().offers<RowNormGradient>()) {
    return false;
  }
  const Place place = rows.x.place();
  const Shape width{rows.x.size(1)};
  const Tensor dy = as_rows(g.of(0), "norm").dense();
  const Tensor dx = g.wanted(0) ? Tensor::empty(rows.x.shape(), place) : Tensor();
  const Tensor dweight = g.wanted(1) ? Tensor::zeros(width, place) : Tensor();
  const Tensor dbias = rows.mean && g.wanted(2) ? Tensor::zeros(width, place) : Tensor();
  const Tensor weight = rows.weight ? rows.weight.dense() : Tensor();
  const RowNormGradient call{.dx = view_of(dx),
                             .dweight = view_of(dweight),
                             .dbias = view_of(dbias),
                             .dy = dy.view(),
                             .x = rows.x.view(),
                             .mean = view_of(rows.mean),
                             .scale = rows.scale.view(),
                             .weight = view_of(weight)};
  if (!rows.x.backend().run_fused(call)) {
    return false;
  }
  if (dx) {
    g.add(0, shaped(dx, shape));
  }
  if (dweight) {
    g.add(1, dweight);
  }
  if (dbias) {
    g.add(2, dbias);
  }
  return true;
}

}  // namespace heed
