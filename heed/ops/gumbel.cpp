#include "heed/ops/gumbel.h"

#include "heed/ops/mapped.h"

namespace heed {

namespace {

/// u → −ln(−ln u), in place.
Tensor noise_from(Tensor uniform) {
  for (int twice = 0; twice < 2; ++twice) {
    map_into(uniform, function<fn::Log>, {uniform});
    map_into(uniform, function<fn::Affine>, {uniform}, {.a = -1});
  }
  return uniform;
}

}  // namespace

Tensor gumbel_like(const Tensor& x, const DrawKey& key) {
  return noise_from(Tensor::random(x.shape(), Distribution::uniform, key, x.place()));
}

Tensor gumbel_rows(const Shape& shape, const RandomKey& key, const Tensor& row_keys,
                   const Place& place) {
  Tensor uniform = Tensor::empty(shape, place);
  place.backend->random_rows(uniform.view(), Distribution::uniform, key, row_keys.view());
  return noise_from(std::move(uniform));
}

}  // namespace heed
