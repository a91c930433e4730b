#include "heed/ops/rows.h"

namespace heed {

Tensor as_rows(const Tensor& x, const char* who) {
  require(x.rank() > 0, "{}: saw a scalar, needs at least one axis", who);
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) {
    rows *= x.shape()[axis];
  }
  return shaped(x, {rows, x.shape()[-1]});
}

Tensor shaped(const Tensor& x, const Shape& shape) {
  if (const auto view = reshaped(x.view(), shape)) {
    return x.seen_as(*view);
  }
  const Tensor packed = x.clone();
  return packed.seen_as(dense_view(packed.view().data, packed.dtype(), shape));
}

}  // namespace heed
