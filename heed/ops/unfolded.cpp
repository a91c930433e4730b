#include "heed/ops/unfolded.h"

#include <algorithm>
#include <optional>

#include "heed/ops/mapped.h"

namespace heed {
namespace {

bool has_border(const PlacedWindows& w) {
  return w.window.top > 0 || w.window.left > 0 || w.bottom > 0 || w.right > 0;
}

Shape bordered_shape(const Shape& x, const PlacedWindows& w) {
  return {x[0], w.window.top + x[1] + w.bottom, w.window.left + x[2] + w.right, x[3]};
}

/// The part of a bordered grid that lies inside the border.
View inside(const View& bordered, const Shape& x, const PlacedWindows& w) {
  return sliced(sliced(bordered, 1, w.window.top, x[1]), 2, w.window.left, x[2]);
}

/// Row u of every window `first`, `first + step`, … of a row of windows.
struct WindowRows {
  int64_t u;
  int64_t first;
  int64_t step;
  int64_t count;
};

/// [B, H', count, width · C]
View rows_of_windows(const View& bordered, const PlacedWindows& w, const WindowRows& rows) {
  const int64_t stride = w.window.stride;
  const View down = sliced(bordered, 1, rows.u, w.down, stride);
  View view = sliced(down, 2, rows.first * stride, rows.count, rows.step * stride);
  view.shape = {view.shape[0], view.shape[1], view.shape[2], w.window.width * bordered.shape[3]};
  return view;
}

}  // namespace

Tensor with_border(const Tensor& x, const PlacedWindows& windows) {
  if (!has_border(windows)) {
    return x;
  }
  Tensor bordered = Tensor::zeros(bordered_shape(x.shape(), windows), x.place());
  x.backend().copy(inside(bordered.view(), x.shape(), windows), x.view());
  return bordered;
}

Tensor cells_of_windows(const Tensor& bordered, const PlacedWindows& windows, int64_t u,
                        int64_t v) {
  const int64_t stride = windows.window.stride;
  const View rows = sliced(bordered.view(), 1, u, windows.down, stride);
  return bordered.seen_as(sliced(rows, 2, v, windows.across, stride));
}

Tensor unfolded(const Tensor& x, const PlacedWindows& windows) {
  const Tensor bordered = with_border(x, windows);
  const View& from = bordered.view();
  const GridWindow& window = windows.window;
  View view = from;  // [B, H', W', height, width, C], overlapping
  view.shape = {x.size(0), windows.down, windows.across, window.height, window.width, x.size(3)};
  view.strides[1] = from.strides[1] * window.stride;
  view.strides[2] = from.strides[2] * window.stride;
  view.strides[3] = from.strides[1];
  view.strides[4] = from.strides[2];
  view.strides[5] = from.strides[3];
  const Shape flat = {x.size(0) * windows.down * windows.across,
                      window.height * window.width * x.size(3)};
  if (const std::optional<View> as_is = reshaped(view, flat)) {
    return bordered.seen_as(*as_is);
  }
  Tensor u = Tensor::empty(flat, x.place());
  x.backend().copy(dense_view(u.view().data, u.dtype(), view.shape), view);
  return u;
}

void fold_into(const Tensor& dx, const Tensor& du, const PlacedWindows& windows) {
  const GridWindow& window = windows.window;
  const Tensor bordered =
      has_border(windows) ? Tensor::zeros(bordered_shape(dx.shape(), windows), dx.place()) : dx;
  // Row u of a window is width · C numbers one behind the other, here and in du.
  const int64_t row = window.width * dx.size(3);
  const View from = dense_view(du.view().data, du.dtype(),
                               {dx.size(0), windows.down, windows.across, window.height, row});
  const int64_t abreast = (window.width + window.stride - 1) / window.stride;
  for (int64_t u = 0; u < window.height; ++u) {
    const View seen = sliced(from, 3, u, 1);
    for (int64_t first = 0; first < std::min(abreast, windows.across); ++first) {
      // No two of the windows first, first + abreast, … share a cell of their rows u.
      const int64_t count = (windows.across - first + abreast - 1) / abreast;
      const Tensor to =
          bordered.seen_as(rows_of_windows(bordered.view(), windows, {u, first, abreast, count}));
      const View part = sliced(seen, 2, first, count, abreast);
      map_into(to, function<fn::Add>, {to, du.seen_as(*reshaped(part, to.shape()))});
    }
  }
  if (has_border(windows)) {
    const Tensor core = bordered.seen_as(inside(bordered.view(), dx.shape(), windows));
    map_into(dx, function<fn::Add>, {dx, core});
  }
}

}  // namespace heed
