#include "heed/ops/reduce.h"

#include <numeric>
#include <utility>

#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The shape after a reduction: with reduced axes as 1, and without them.
struct ReducedShape {
  Shape kept;
  Shape dropped;
};

ReducedShape reduce_shape(const Shape& shape, const std::vector<int>& axes, const char* who) {
  unsigned gone = 0;
  for (const int axis : axes) {
    const unsigned bit = 1U << checked_axis(axis, shape.rank(), who);
    require((gone & bit) == 0, "{}: saw axis {} twice", who, axis);
    gone |= bit;
  }
  ReducedShape out{shape, {}};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((gone >> axis & 1U) != 0) {
      out.kept[axis] = 1;
    } else {
      out.dropped.push(shape[axis]);
    }
  }
  return out;
}

/// scale · Σ x
Tensor scaled_sum(const Tensor& x, const ReducedShape& to, bool keep, double scale) {
  Tensor y = reduced(Reduction::sum, x, to.kept);
  if (scale != 1) {
    map_into(y, function<fn::Affine>, {y}, {.a = scale});
  }
  return record(keep ? y : shaped(y, to.dropped), {x},
                [kept = to.kept, shape = x.shape(), scale](Gradients& g) {
                  const Tensor dy =
                      scale == 1 ? g.of(0) : mapped(function<fn::Affine>, {g.of(0)}, {.a = scale});
                  const Tensor aligned = shaped(dy, kept);
                  g.add(0, aligned.seen_as(broadcast_to(aligned.view(), shape)));
                });
}

std::vector<int> all_axes(const Tensor& x) {
  std::vector<int> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// `view` with its last axis moved to axis `to`.
View moved_back(const View& view, int to) {
  std::vector<int> order(static_cast<size_t>(view.rank()) - 1);
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + to, view.rank() - 1);
  return permuted(view, order);
}

}  // namespace

Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keep) {
  return scaled_sum(x, reduce_shape(x.shape(), axes, "sum"), keep, 1);
}

Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keep) {
  const ReducedShape to = reduce_shape(x.shape(), axes, "mean");
  require(x.numel() > 0 || to.kept.numel() == 0, "mean: saw shape {}, needs an element to average",
          x.shape());
  const double count =
      x.numel() == 0 ? 1 : static_cast<double>(x.numel()) / static_cast<double>(to.kept.numel());
  return scaled_sum(x, to, keep, 1 / count);
}

Tensor sum(const Tensor& x) { return sum(x, all_axes(x)); }
Tensor mean(const Tensor& x) { return mean(x, all_axes(x)); }

Tensor max(const Tensor& x, int axis, bool keep) {
  axis = checked_axis(axis, x.rank(), "max");
  require(x.size(axis) > 0, "max: saw shape {}, needs an element along axis {}", x.shape(), axis);
  const ReducedShape to = reduce_shape(x.shape(), {axis}, "max");
  const Tensor y = reduced(Reduction::max, x, to.kept);
  const Tensor at = recording({x}) ? reduced(Reduction::argmax, x, to.kept) : Tensor();
  return record(keep ? y : shaped(y, to.dropped), {x},
                [at, axis, shape = x.shape(), width = x.size(axis)](Gradients& g) {
                  // dx is built with the reduced axis last, where each row has one entry.
                  const int64_t rows = at.numel();
                  Shape last = shape;
                  last.erase(axis).push(width);
                  const Tensor dx = Tensor::zeros(last, g.of(0).place());
                  if (dx.numel() > 0) {
                    dx.backend().scatter_add(shaped(dx, {rows, width, 1}).view(),
                                             shaped(g.of(0), {rows, 1, 1}).view(),
                                             shaped(at, {rows, 1}).view());
                  }
                  g.add(0, dx.seen_as(moved_back(dx.view(), axis)));
                });
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  axis = checked_axis(axis, x.rank(), "argmax");
  require(x.size(axis) > 0, "argmax: saw shape {}, needs an element along axis {}", x.shape(),
          axis);
  const ReducedShape to = reduce_shape(x.shape(), {axis}, "argmax");
  const Tensor at = reduced(Reduction::argmax, x, to.kept);
  return keep ? at : shaped(at, to.dropped);
}

}  // namespace heed
