#include "heed/ops/normalised_rows.h"

#include "heed/ops/folded.h"
#include "heed/ops/mapped.h"

namespace heed {
namespace {

double share(const Tensor& x) { return x.size(-1) == 0 ? 0 : 1 / static_cast<double>(x.size(-1)); }

}  // namespace

Tensor row_mean(const Tensor& x) {
  Tensor out = folded_rows(Fold::sum, x);
  map_into(out, function<fn::Affine>, {out}, {.a = share(x)});
  return out;
}

Tensor reciprocal_root_mean_square(const Tensor& x, double epsilon) {
  Tensor out = folded_rows(Fold::sum, mapped(function<fn::Multiply>, {x, x}));
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

}  // namespace heed
