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

/// Cell (u, v) of the windows `first`, `first + step`, … of a row of windows and, where cells lie side
/// by side, the `cells` from it on.
struct WindowCells {
  int64_t u;
  int64_t v;
  int64_t first;
  int64_t step;
  int64_t count;
  int64_t cells;
};

/// [B, H', count, cells · C]
View cells_of_some(const View& bordered, const PlacedWindows& w, const WindowCells& some) {
  const int64_t stride = w.window.stride;
  const View down = sliced(bordered, 1, some.u * w.window.dilation, w.down, stride);
  View view = sliced(down, 2, some.v * w.window.dilation + some.first * stride, some.count,
                     some.step * stride);
  view.shape = {view.shape[0], view.shape[1], view.shape[2], some.cells * bordered.shape[3]};
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
  return bordered.seen_as(cells_of_some(bordered.view(), windows, {u, v, 0, 1, windows.across, 1}));
}

Tensor unfolded(const Tensor& x, const PlacedWindows& windows) {
  const Tensor bordered = with_border(x, windows);
  const View& from = bordered.view();
  const GridWindow& window = windows.window;
  View view = from;  // [B, H', W', height, width, C], overlapping
  view.shape = {x.size(0), windows.down, windows.across, window.height, window.width, x.size(3)};
  view.strides[1] = from.strides[1] * window.stride;
  view.strides[2] = from.strides[2] * window.stride;
  view.strides[3] = from.strides[1] * window.dilation;
  view.strides[4] = from.strides[2] * window.dilation;
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
  // Without dilation, row u of a window is width · C numbers one behind the other, here and in du; with
  // it, each cell is apart.
  const int64_t cells = window.dilation == 1 ? window.width : 1;
  const int64_t parts = window.width / cells;
  const View from = dense_view(
      du.view().data, du.dtype(),
      {dx.size(0), windows.down, windows.across, window.height * parts, cells * dx.size(3)});
  const int64_t abreast = (cells + window.stride - 1) / window.stride;
  for (int64_t part = 0; part < window.height * parts; ++part) {
    const View seen = sliced(from, 3, part, 1);
    for (int64_t first = 0; first < std::min(abreast, windows.across); ++first) {
      // No two of the windows first, first + abreast, … share one of these cells.
      const int64_t count = (windows.across - first + abreast - 1) / abreast;
      const Tensor to = bordered.seen_as(cells_of_some(
          bordered.view(), windows, {part / parts, part % parts, first, abreast, count, cells}));
      const View some = sliced(seen, 2, first, count, abreast);
      map_into(to, function<fn::Add>, {to, du.seen_as(*reshaped(some, to.shape()))});
    }
  }
  if (has_border(windows)) {
    const Tensor core = bordered.seen_as(inside(bordered.view(), dx.shape(), windows));
    map_into(dx, function<fn::Add>, {dx, core});
  }
}

}  // namespace heed
