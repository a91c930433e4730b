#include "heed/ops/pad.h"

#include "heed/tensor/tape.h"

namespace heed {

Tensor pad(const Tensor& x, int axis, int64_t before, int64_t after, double value) {
  axis = checked_axis(axis, x.rank(), "pad");
  require(before >= 0 && after >= 0, "pad: saw {} before and {} after, needs 0 or more", before,
          after);
  if (before == 0 && after == 0) {
    return x;
  }
  const int64_t count = x.size(axis);
  const Tensor y = Tensor::empty(x.shape().with(axis, before + count + after), x.place());
  Backend& backend = x.backend();
  if (before > 0) {
    backend.fill(sliced(y.view(), axis, 0, before), value);
  }
  backend.copy(sliced(y.view(), axis, before, count), x.view());
  if (after > 0) {
    backend.fill(sliced(y.view(), axis, before + count, after), value);
  }
  return record(y, {x}, [axis, before, count](Gradients& g) {
    const Tensor dy = g.of(0);
    g.add(0, dy.seen_as(sliced(dy.view(), axis, before, count)));
  });
}

}  // namespace heed
