#include "heed/device/view.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/device/shape_format.h"

namespace heed {

View View::shifted(int64_t elements) const {
  View other = *this;
  other.data = static_cast<char*>(data) + elements * static_cast<int64_t>(bytes_of(dtype));
  return other;
}

View broadcast_to(const View& view, const Shape& shape) {
  const int extra = shape.rank() - view.rank();
  require(extra >= 0, "broadcast: saw shape {}, needs {}", view.shape, shape);
  View out{view.data, view.dtype, shape, {}};
  for (int i = 0; i < view.rank(); ++i) {
    const bool stretched = view.shape[i] == 1 && shape[i + extra] != 1;
    require(stretched || view.shape[i] == shape[i + extra], "broadcast: saw shape {}, needs {}",
            view.shape, shape);
    out.strides[i + extra] = stretched ? 0 : view.strides[i];
  }
  return out;
}

View permuted(const View& view, std::span<const int> order) {
  require(static_cast<int>(order.size()) == view.rank(),
          "permute: saw an order of {} axes for shape {}", order.size(), view.shape);
  View out = view;
  unsigned seen = 0;
  for (int i = 0; i < view.rank(); ++i) {
    const int from = checked_axis(order[i], view.rank(), "permute");
    seen |= 1U << from;
    out.shape[i] = view.shape[from];
    out.strides[i] = view.strides[from];
  }
  require(seen + 1 == 1U << view.rank(), "permute: saw an axis twice for shape {}", view.shape);
  return out;
}

View transposed(const View& view, int a, int b) {
  View out = view;
  a = checked_axis(a, view.rank(), "transpose");
  b = checked_axis(b, view.rank(), "transpose");
  std::swap(out.shape[a], out.shape[b]);
  std::swap(out.strides[a], out.strides[b]);
  return out;
}

View sliced(const View& view, int axis, int64_t begin, int64_t count, int64_t step) {
  axis = checked_axis(axis, view.rank(), "slice");
  const int64_t last = begin + (count - 1) * step;
  require(count >= 0 && begin >= 0 && begin <= view.shape[axis] &&
              (count == 0 || (last >= 0 && last < view.shape[axis])),
          "slice: saw {} elements from {} by {} of an axis of length {}", count, begin, step,
          view.shape[axis]);
  View out = view.shifted(count == 0 ? 0 : begin * view.strides[axis]);
  out.shape[axis] = count;
  out.strides[axis] = view.strides[axis] * step;
  return out;
}

std::optional<View> reshaped(const View& view, const Shape& shape) {
  require(view.numel() == shape.numel(), "reshape: saw {}, which does not fill {}", view.shape,
          shape);
  if (view.is_contiguous()) {
    return dense_view(view.data, view.dtype, shape);
  }
  // Both shapes are compared from the front: axes that are not dense cannot be split differently.
  // Axes of length 1 make no difference.
  View old = view;
  merge_axes({&old, 1});
  View out{view.data, view.dtype, shape, {}};
  int to = 0;
  for (int from = 0; from < old.rank(); ++from) {
    const int group = to;
    int64_t count = 1;
    while (count < old.shape[from]) {
      count *= shape[to++];
    }
    if (count != old.shape[from]) {
      return std::nullopt;
    }
    int64_t step = old.strides[from];
    for (int i = to - 1; i >= group; --i) {
      out.strides[i] = step;
      step *= shape[i];
    }
  }
  return out;
}

void merge_axes(std::span<View> views) {
  const Shape shape = views.front().shape;
  int kept = 0;
  Shape merged;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    const bool joins = kept > 0 && std::all_of(views.begin(), views.end(), [&](const View& view) {
                         return view.strides[kept - 1] == shape[i] * view.strides[i];
                       });
    if (joins) {
      merged[kept - 1] *= shape[i];
    } else {
      merged.push(shape[i]);
      ++kept;
    }
    for (View& view : views) {
      view.strides[kept - 1] = view.strides[i];
    }
  }
  for (View& view : views) {
    view.shape = merged;
  }
}

}  // namespace heed
