#include "heed/ops/normalised_rows.h"

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
    common_place(x, vector, who);
    require(vector.shape() == Shape{x.size(-1)}, "{}: saw a weight or bias {}, needs [{}]", who,
            vector.shape(), x.size(-1));
  }
}

NormCall norm_call(NormalisedRows& rows, const Tensor& bias, double epsilon, bool is_centred) {
  const Shape column{rows.x.size(0), 1};
  const Place place = rows.x.place();
  rows.mean = is_centred ? Tensor::empty(column, place) : Tensor();
  rows.scale = Tensor::empty(column, place);
  NormCall made{Tensor::empty(rows.x.shape(), place),
                rows.weight ? rows.weight.dense() : Tensor(),
                bias ? bias.dense() : Tensor(),
                {}};
  made.call = {.y = made.y.view(),
               .mean = view_of(rows.mean),
               .scale = rows.scale.view(),
               .x = rows.x.view(),
               .weight = view_of(made.weight),
               .bias = view_of(made.bias),
               .epsilon = epsilon};
  return made;
}

NormGradientCall norm_gradient_call(const NormalisedRows& rows, const Tensor& dy,
                                    const NormWants& wants) {
  const Place place = rows.x.place();
  const Shape width{rows.x.size(1)};
  NormGradientCall made;
  made.dx = wants.dx ? Tensor::empty(rows.x.shape(), place) : Tensor();
  made.dweight = wants.dweight ? Tensor::empty(width, place) : Tensor();
  made.dbias = rows.mean && wants.dbias ? Tensor::empty(width, place) : Tensor();
  made.dy = as_rows(dy, "norm").dense();
  made.weight = rows.weight ? rows.weight.dense() : Tensor();
  made.call = {.dx = view_of(made.dx),
               .dweight = view_of(made.dweight),
               .dbias = view_of(made.dbias),
               .dy = made.dy.view(),
               .x = rows.x.view(),
               .mean = view_of(rows.mean),
               .scale = rows.scale.view(),
               .weight = view_of(made.weight)};
  return made;
}

Tensor fused_norm(NormalisedRows& rows, const Tensor& bias, double epsilon, bool is_centred) {
  if (rows.x.numel() == 0 || !rows.x.backend().offers<RowNorm>()) {
    return {};
  }
  const NormCall made = norm_call(rows, bias, epsilon, is_centred);
  return rows.x.backend().run_fused(made.call) ? made.y : Tensor();
}

bool fused_norm_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g) {
  if (rows.x.numel() == 0 || !rows.x.backend().offers<RowNormGradient>()) {
    return false;
  }
  const NormGradientCall made =
      norm_gradient_call(rows, g.of(0), {g.wanted(0), g.wanted(1), rows.mean && g.wanted(2)});
  if (!rows.x.backend().run_fused(made.call)) {
    return false;
  }
  if (made.dx) {
    g.add(0, shaped(made.dx, shape));
  }
  if (made.dweight) {
    g.add(1, made.dweight);
  }
  if (made.dbias) {
    g.add(2, made.dbias);
  }
  return true;
}

}  // namespace heed
