#include "heed/ops/topk.h"

#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {

TopK topk(const Tensor& x, int64_t k) {
  const Tensor rows = as_rows(x, "topk");
  require(k >= 0 && k <= x.size(-1), "topk: saw k = {} for shape {}, needs at most the last axis",
          k, x.shape());
  const Shape small{rows.size(0), k};
  const Tensor values = Tensor::empty(small, x.place());
  const Tensor indices = Tensor::empty(small, x.place().with(DType::i32));
  if (values.numel() > 0) {
    x.backend().topk(values.view(), indices.view(), rows.view());
  }
  const Shape shape = x.shape().with(-1, k);
  Tensor out = record(shaped(values, shape), {x}, [indices, shape = x.shape()](Gradients& g) {
    const int64_t n = indices.size(0);
    const int64_t k = indices.size(1);
    const Tensor dx = Tensor::zeros(shape, g.of(0).place());
    if (indices.numel() > 0) {
      dx.backend().scatter_add(shaped(dx, {n, shape[-1], 1}).view(),
                               shaped(g.of(0), {n, k, 1}).view(), indices.view());
    }
    g.add(0, dx);
  });
  return {out, shaped(indices, shape)};
}

}  // namespace heed
