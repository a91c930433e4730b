#include "heed/ops/reduced.h"

namespace heed {

Tensor reduced(Reduction reduction, const Tensor& x, const Shape& kept) {
  const DType dtype = reduction == Reduction::argmax ? DType::i32 : x.dtype();
  Tensor out = Tensor::empty(kept, x.place().with(dtype));
  if (reduction == Reduction::argmax && kept == x.shape()) {
    x.backend().fill(out.view(), 0);  // along an axis of length 1 the index is 0
  } else if (out.numel() > 0) {
    x.backend().reduce(reduction, out.view(), x.view());
  }
  return out;
}

Tensor reduced_rows(Reduction reduction, const Tensor& x) {
  return reduced(reduction, x, x.shape().with(-1, 1));
}

}  // namespace heed
