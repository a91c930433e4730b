#include "heed/ops/grid.h"

#include <algorithm>

#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// `shape` with its first axes replaced by `front`.
Shape with_front(std::initializer_list<int64_t> front, const Shape& shape, int replaced) {
  Shape out(front);
  for (int i = replaced; i < shape.rank(); ++i) {
    out.push(shape[i]);
  }
  return out;
}

}  // namespace

Tensor to_grid(const Tensor& rows, const Layout& layout) {
  require(rows.size(0) == layout.rows(), "grid: saw {} rows, needs the layout's {}", rows.size(0),
          layout.rows());
  const Shape grid = with_front({layout.count(), layout.width()}, rows.shape(), 1);
  if (layout.is_full()) {
    return reshape(rows, grid);
  }
  const Tensor flat =
      reshape(rows, {rows.size(0), rows.numel() / std::max<int64_t>(rows.size(0), 1)});
  return reshape(gather_rows(flat, layout.row_of_cell()), grid);
}

Tensor to_rows(const Tensor& grid, const Layout& layout) {
  require(grid.size(0) == layout.count() && grid.size(1) == layout.width(),
          "grid: saw shape {}, needs [{}, {}, …]", grid.shape(), layout.count(), layout.width());
  const Shape rows = with_front({layout.rows()}, grid.shape(), 2);
  if (layout.is_full()) {
    return reshape(grid, rows);
  }
  const int64_t cells = layout.count() * layout.width();
  const Tensor flat = reshape(grid, {cells, grid.numel() / std::max<int64_t>(cells, 1)});
  return reshape(gather_rows(flat, layout.cell_of_row()), rows);
}

}  // namespace heed
