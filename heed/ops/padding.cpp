#include "heed/ops/padding.h"

#include "heed/base/error.h"

namespace heed {

PlacedWindows placed(const GridWindows& windows, const Shape& x, const char* who) {
  require(x.rank() == 4, "{}: saw x {}, needs [B, H, W, C]", who, to_string(x));
  require(windows.height > 0 && windows.width > 0 && windows.stride > 0,
          "{}: saw windows of {} × {} cells by strides of {}, needs 1 or more of each", who,
          windows.height, windows.width, windows.stride);
  const auto rows = windows.padding.sides(x[1], windows.height, windows.stride);
  const auto columns = windows.padding.sides(x[2], windows.width, windows.stride);
  require(rows.before >= 0 && columns.before >= 0, "{}: saw padding of {} cells, needs 0 or more",
          who, rows.before);
  require(rows.windows > 0 && columns.windows > 0,
          "{}: saw a grid of {} × {} cells, needs room for a window of {} × {}; pad it, or take a "
          "larger picture",
          who, x[1], x[2], windows.height, windows.width);
  return {{windows.height, windows.width, windows.stride, rows.before, columns.before},
          rows.after,
          columns.after,
          rows.windows,
          columns.windows};
}

}  // namespace heed
