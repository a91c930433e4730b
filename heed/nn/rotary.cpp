#include "heed/nn/rotary.h"

#include "heed/nn/angles.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// x […, d] with each pair rotated; cosine and sine broadcast to […, d/2]. Rounded once, in bf16.
Tensor turned(const Tensor& given, const Tensor& cosine, const Tensor& sine) {
  const NoGrad no_grad;
  const Tensor x = widened(given);
  const int64_t pairs = x.size(-1) / 2;
  const Tensor even = slice(x, -1, 0, pairs, 2);
  const Tensor odd = slice(x, -1, 1, pairs, 2);
  const Tensor y = stack({even * cosine - odd * sine, even * sine + odd * cosine}, x.rank());
  return cast(reshape(y, x.shape()), given.dtype());
}

}  // namespace

Tensor rotate(const Tensor& x, const Tensor& position, double base) {
  require(x.rank() > 0 && x.size(-1) % 2 == 0,
          "rotary: vectors of shape {} have an odd width, and rotary rotates pairs; choose heads "
          "of even width",
          x.shape());
  const Tensor theta = angles(position, x.size(-1), base, x.dtype());
  const Tensor cosine = cos(theta);
  const Tensor sine = sin(theta);
  return record(turned(x, cosine, sine), {x},
                [cosine, sine](Gradients& g) { g.add(0, turned(g.of(0), cosine, -sine)); });
}

}  // namespace heed
