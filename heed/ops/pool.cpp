#include "heed/ops/pool.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/ops/arithmetic.h"
#include "heed/ops/pad.h"
#include "heed/ops/reduce.h"
#include "heed/ops/slice.h"

namespace heed {
namespace {

/// How many cells of each window along an axis of n cells lie inside; an Error if none does.
std::vector<int64_t> cells_inside(int64_t windows, int64_t size, int64_t stride, int64_t before,
                                  int64_t n) {
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < windows; ++i) {
    const int64_t first = std::max<int64_t>(0, i * stride - before);
    const int64_t last = std::min(n, i * stride - before + size);
    require(
        last > first,
        "pool: saw a window that lies in the padding, needs a cell of the grid in each; pad less");
    counts.push_back(last - first);
  }
  return counts;
}

struct Counts {
  std::vector<int64_t> down;
  std::vector<int64_t> across;
};

Counts counts_of(const PlacedWindows& w, const Shape& x) {
  require(w.window.dilation == 1, "pool: saw a dilation of {}, needs 1", w.window.dilation);
  return {cells_inside(w.down, w.window.height, w.window.stride, w.window.top, x[1]),
          cells_inside(w.across, w.window.width, w.window.stride, w.window.left, x[2])};
}

/// join(…join(x of cell (0, 0), x of cell (0, 1))…), with `outside` around the grid.
template <class Join>
Tensor joined(const Tensor& x, const PlacedWindows& w, double outside, const Join& join) {
  const Tensor rows = pad(x, 1, w.window.top, w.bottom, outside);
  const Tensor bordered = pad(rows, 2, w.window.left, w.right, outside);
  Tensor y;
  for (int64_t u = 0; u < w.window.height; ++u) {
    for (int64_t v = 0; v < w.window.width; ++v) {
      const Tensor line = slice(bordered, 1, u, w.down, w.window.stride);
      const Tensor seen = slice(line, 2, v, w.across, w.window.stride);
      y = y.defined() ? join(y, seen) : seen;
    }
  }
  return y;
}

}  // namespace

Tensor max_pool(const Tensor& x, const GridWindows& windows) {
  const PlacedWindows w = placed(windows, x.shape(), "max_pool");
  counts_of(w, x.shape());
  return joined(x, w, -std::numeric_limits<double>::infinity(),
                [](const Tensor& y, const Tensor& seen) { return maximum(y, seen); });
}

Tensor mean_pool(const Tensor& x, const GridWindows& windows) {
  const PlacedWindows w = placed(windows, x.shape(), "mean_pool");
  const Counts counts = counts_of(w, x.shape());
  std::vector<double> shares;
  for (const int64_t down : counts.down) {
    for (const int64_t across : counts.across) {
      shares.push_back(1.0 / static_cast<double>(down * across));
    }
  }
  const Tensor share = Tensor::of(shares, {w.down, w.across, 1}, x.place());
  const Tensor sum =
      joined(x, w, 0, [](const Tensor& y, const Tensor& seen) { return add(y, seen); });
  return multiply(sum, share);
}

Tensor mean_of_grid(const Tensor& x) {
  require(x.rank() == 4 && x.size(1) * x.size(2) > 0,
          "mean_of_grid: saw x {}, needs [B, H, W, C] with a cell", x.shape());
  return mean(x, {1, 2});
}

}  // namespace heed
