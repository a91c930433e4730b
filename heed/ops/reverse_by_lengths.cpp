#include "heed/ops/reverse_by_lengths.h"

#include "heed/ops/lengths.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// i32 [B, T]: n_b − 1 − t where t < n_b, else t.
Tensor reversed_index(const Tensor& lengths, int64_t width) {
  const Place real = lengths.place().with(DType::f32);
  Backend& backend = *real.backend;
  const Shape shape = {lengths.size(0), width};
  const Tensor length = Tensor::empty({lengths.size(0), 1}, real);
  backend.copy(length.view(), *reshaped(lengths.view(), length.shape()));
  const Tensor position = positions(width, real);
  const Tensor inside = mask_of_lengths(lengths, width, DType::f32);
  const View t = broadcast_to(position.view(), shape);

  const Tensor turned = Tensor::empty(shape, real);  // n − t, then n − t − 1
  const View difference[] = {broadcast_to(length.view(), shape), t};
  backend.map(function<fn::Subtract>, turned.view(), difference, {});
  const View minus_one[] = {turned.view()};
  backend.map(function<fn::Affine>, turned.view(), minus_one, {1, -1});
  const View choice[] = {inside.view(), turned.view(), t};
  backend.map(function<fn::Select>, turned.view(), choice, {});

  const Tensor index = Tensor::empty(shape, lengths.place());
  backend.copy(index.view(), turned.view());
  return index;
}

Tensor gathered(const Tensor& x, const Tensor& index) {
  const Tensor y = Tensor::empty(x.shape(), x.place());
  x.backend().gather(y.view(), x.view(), index.view());
  return y;
}

}  // namespace

Tensor reverse_by_lengths(const Tensor& x, const Tensor& lengths) {
  require(x.rank() == 3 && lengths.rank() == 1 && lengths.size(0) == x.size(0),
          "reverse_by_lengths: saw x {} and lengths {}, needs [B, T, D] and [B]",
          to_string(x.shape()), to_string(lengths.shape()));
  const Tensor index = reversed_index(lengths, x.size(1));
  return record(gathered(x, index), {x},
                [index](Gradients& g) { g.add(0, gathered(g.of(0), index)); });
}

}  // namespace heed
