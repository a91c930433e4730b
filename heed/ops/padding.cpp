#include "heed/ops/padding.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

PlacedWindows placed(const GridWindows& windows, const Shape& x, const char* who) {
  require(x.rank() == 4, "{}: saw x {}, needs [B, H, W, C]", who, to_string(x));
  require(
      windows.height > 0 && windows.width > 0 && windows.stride > 0 && windows.dilation > 0,
      "{}: saw windows of {} × {} cells by strides of {} and dilations of {}, needs 1 or more of "
      "each",
      who, windows.height, windows.width, windows.stride, windows.dilation);
  GridWindow window{.height = windows.height,
                    .width = windows.width,
                    .stride = windows.stride,
                    .dilation = windows.dilation};
  const auto rows = windows.padding.sides_down(x[1], window.reach_down() + 1, windows.stride);
  const auto columns =
      windows.padding.sides_across(x[2], window.reach_across() + 1, windows.stride);
  const int64_t least = std::min({rows.before, rows.after, columns.before, columns.after});
  require(least >= 0, "{}: saw padding of {} cells, needs 0 or more", who, least);
  require(rows.windows > 0 && columns.windows > 0,
          "{}: saw a grid of {} × {} cells, needs room for a window of {} × {}; pad it, or take a "
          "larger picture",
          who, x[1], x[2], window.reach_down() + 1, window.reach_across() + 1);
  window.top = rows.before;
  window.left = columns.before;
  return {window, rows.after, columns.after, rows.windows, columns.windows};
}

}  // namespace heed
