#include "heed/ops/dropout.h"

#include <utility>

#include "heed/device/kernel/dropout.h"
#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// x times a mask that depends on the key alone.
Tensor masked(const Tensor& x, double p, const DrawKey& key) {
  if (x.backend().offers<DropoutStep>()) {
    Tensor y = Tensor::empty(x.shape(), x.place());
    if (x.backend().run_fused(DropoutStep{y.view(), x.dense().view(), p, key.for_kernel()})) {
      return y;
    }
  }
  Tensor mask = Tensor::random(x.shape(), Distribution::uniform, key, x.place().exact());
  map_into(mask, function<fn::Keep>, {mask}, {.a = p, .b = 1 / (1 - p)});
  return mapped_over(function<fn::Multiply>, std::move(mask), {x});
}

}  // namespace

Tensor dropout_gradient(const Tensor& dy, double p, const DrawKey& key) {
  return masked(dy, p, key);
}

Tensor dropout(const Tensor& x, double p, const DrawKey& key) {
  require(p >= 0 && p < 1, "dropout: saw probability {}, needs 0 ≤ p < 1", p);
  if (p == 0) {
    return x;
  }
  return record(masked(x, p, key), {x},
                [p, key](Gradients& g) { g.add(0, masked(g.of(0), p, key)); });
}

}  // namespace heed
