#include "heed/ops/gather.h"

#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The view with an axis of length 1 inserted before `axis`, because the primitives take exactly
/// [b, n, d].
View with_axis(const View& view, int axis) {
  return *reshaped(view, Shape(view.shape).insert(axis, 1));
}

View batched(const View& view, int rank) { return view.rank() == rank ? view : with_axis(view, 0); }

void check_index(const Tensor& index, const Tensor& x, const char* who) {
  if (index.dtype() != DType::i32 || &index.backend() != &x.backend()) {
    fail("{}: saw an index of {} on {}, needs i32 on {}", who, name_of(index.dtype()),
         index.backend().name(), x.backend().name());
  }
}

}  // namespace

Tensor gather_rows(const Tensor& x, const Tensor& index) {
  return gather_rows(x, index, x.dtype());
}

Tensor gather_rows(const Tensor& x, const Tensor& index, DType as) {
  check_index(index, x, "gather_rows");
  const bool has_batch = x.rank() == 3;
  require((has_batch && index.rank() == 2 && index.size(0) == x.size(0)) ||
              (x.rank() == 2 && index.rank() == 1),
          "gather_rows: saw x {} and index {}, needs [B, R, D] and [B, N] or [R, D] and [N]",
          x.shape(), index.shape());
  const Tensor y = Tensor::empty(Shape(index.shape()).push(x.size(-1)), x.place().with(as));
  x.backend().gather(batched(y.view(), 3), batched(x.view(), 3), batched(index.view(), 2));
  return record(y, {x}, [index](Gradients& g) {
    const Tensor dx = g.into(0);
    const Tensor dy = g.of(0);
    dx.backend().scatter_add(batched(dx.view(), 3), batched(dy.view(), 3),
                             batched(index.view(), 2));
  });
}

Tensor pick(const Tensor& x, const Tensor& index) {
  check_index(index, x, "pick");
  require(x.rank() == 2 && index.rank() == 1 && index.size(0) == x.size(0),
          "pick: saw x {} and index {}, needs [N, V] and [N]", x.shape(), index.shape());
  const Tensor y = Tensor::empty({x.size(0)}, x.place());
  x.backend().gather(with_axis(with_axis(y.view(), 1), 2), with_axis(x.view(), 2),
                     with_axis(index.view(), 1));
  return record(y, {x}, [index](Gradients& g) {
    const Tensor dx = g.into(0);
    const Tensor dy = g.of(0);
    dx.backend().scatter_add(with_axis(dx.view(), 2), with_axis(with_axis(dy.view(), 1), 2),
                             with_axis(index.view(), 1));
  });
}

}  // namespace heed
