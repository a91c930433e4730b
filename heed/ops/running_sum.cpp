#include "heed/ops/running_sum.h"

#include "heed/tensor/tape.h"

namespace heed {
namespace {

Tensor summed(const Tensor& x, SumFrom from) {
  Tensor y = Tensor::empty(x.shape(), x.place());
  x.backend().running_sum(y.view(), x.view(), from);
  return y;
}

}  // namespace

Tensor running_sum(const Tensor& x) {
  return record(summed(x, SumFrom::begin), {x},
                [](Gradients& g) { g.add(0, summed(g.of(0), SumFrom::end)); });
}

}  // namespace heed
