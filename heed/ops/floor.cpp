#include "heed/ops/floor.h"

namespace heed {

Tensor floor(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.place());
  const View in[] = {x.view()};
  x.backend().map(function<fn::Floor>, y.view(), in, {});
  return y;
}

}  // namespace heed
