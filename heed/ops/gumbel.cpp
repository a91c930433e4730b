#include "heed/ops/gumbel.h"

#include "heed/ops/mapped.h"

namespace heed {

Tensor gumbel_like(const Tensor& x, const RandomKey& key) {
  Tensor noise = Tensor::random(x.shape(), Distribution::uniform, key, x.place());
  for (int twice = 0; twice < 2; ++twice) {
    map_into(noise, function<fn::Log>, {noise});
    map_into(noise, function<fn::Affine>, {noise}, {.a = -1});
  }
  return noise;
}

}  // namespace heed
