#include "heed/ops/glu.h"

#include "heed/tensor/tape.h"

namespace heed {

Tensor glu(const Tensor& x) {
  require(x.rank() > 0 && x.size(-1) % 2 == 0,
          "glu: saw shape {}, needs an even last axis; its halves are value and gate",
          to_string(x.shape()));
  const int64_t width = x.size(-1) / 2;
  const Tensor a = x.seen_as(sliced(x.view(), -1, 0, width));
  const View b[] = {sliced(x.view(), -1, width, width)};
  const Tensor s = Tensor::empty(a.shape(), x.place());
  Backend& backend = x.backend();
  backend.map(function<fn::Sigmoid>, s.view(), b, {});
  const Tensor y = Tensor::empty(a.shape(), x.place());
  const View product[] = {a.view(), s.view()};
  backend.map(function<fn::Multiply>, y.view(), product, {});
  return record(y, {x}, [a, s, width](Gradients& g) {
    const Tensor dy = g.of(0);
    Backend& place = dy.backend();
    const Tensor dx = Tensor::empty(dy.shape().with(-1, 2 * width), dy.place());
    const View da = sliced(dx.view(), -1, 0, width);
    const View db = sliced(dx.view(), -1, width, width);
    const View gated[] = {dy.view(), s.view()};
    place.map(function<fn::Multiply>, da, gated, {});
    const View valued[] = {dy.view(), a.view()};
    place.map(function<fn::Multiply>, db, valued, {});
    const View sloped[] = {db, s.view()};
    place.map(function<fn::SigmoidSlope>, db, sloped, {});
    g.add(0, dx);
  });
}

}  // namespace heed
