#include "heed/ops/glu.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor glu(const Tensor& x) {
  require(x.rank() > 0 && x.size(-1) % 2 == 0,
          "glu: saw shape {}, needs an even last axis; its halves are value and gate", x.shape());
  const int64_t width = x.size(-1) / 2;
  const Tensor a = x.seen_as(sliced(x.view(), -1, 0, width));
  const Tensor b = x.seen_as(sliced(x.view(), -1, width, width));
  const Tensor s = mapped(function<fn::Sigmoid>, {b});
  return record(mapped(function<fn::Multiply>, {a, s}), {x}, [a, s, width](Gradients& g) {
    const Tensor dy = g.of(0);
    const Tensor dx = Tensor::empty(dy.shape().with(-1, 2 * width), dy.place());
    const Tensor da = dx.seen_as(sliced(dx.view(), -1, 0, width));
    const Tensor db = dx.seen_as(sliced(dx.view(), -1, width, width));
    map_into(da, function<fn::Multiply>, {dy, s});
    map_into(db, function<fn::Multiply>, {dy, a});
    map_into(db, function<fn::SigmoidGradient>, {db, s});
    g.add(0, dx);
  });
}

}  // namespace heed
