#include "heed/ops/reverse_by_lengths.h"

#include "heed/ops/lengths.h"
#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// i32 [B, T]: n_b − 1 − t where t < n_b, else t.
Tensor reversed_index(const Tensor& lengths, int64_t width) {
  const Place real = lengths.place().with(DType::f32);
  const Tensor n = Tensor::empty({lengths.size(0), 1}, real);
  real.backend->copy(n.view(), *reshaped(lengths.view(), n.shape()));
  map_into(n, function<fn::Affine>, {n}, {1, -1});
  const Tensor t = positions(width, real);
  const Tensor turned = mapped(function<fn::Subtract>, {n, t});
  const Tensor inside = mask_of_lengths(lengths, width, DType::f32);
  map_into(turned, function<fn::Select>, {inside, turned, t});
  Tensor index = Tensor::empty(turned.shape(), lengths.place());
  real.backend->copy(index.view(), turned.view());
  return index;
}

Tensor gathered(const Tensor& x, const Tensor& index) {
  Tensor y = Tensor::empty(x.shape(), x.place());
  x.backend().gather(y.view(), x.view(), index.view());
  return y;
}

}  // namespace

Tensor reverse_by_lengths(const Tensor& x, const Tensor& lengths) {
  require(x.rank() == 3 && lengths.rank() == 1 && lengths.size(0) == x.size(0),
          "reverse_by_lengths: saw x {} and lengths {}, needs [B, T, D] and [B]", x.shape(),
          lengths.shape());
  const Tensor index = reversed_index(lengths, x.size(1));
  return record(gathered(x, index), {x},
                [index](Gradients& g) { g.add(0, gathered(g.of(0), index)); });
}

}  // namespace heed
