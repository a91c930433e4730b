#include "heed/attention/geometry.h"

#include <algorithm>
#include <numeric>

#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

std::vector<int32_t> or_default(std::span<const int32_t> given, int64_t count, bool counts_up,
                                const char* what) {
  std::vector<int32_t> out(given.begin(), given.end());
  if (out.empty()) {
    out.resize(static_cast<size_t>(count), 0);
    if (counts_up) {
      std::iota(out.begin(), out.end(), 0);
    }
  }
  require(static_cast<int64_t>(out.size()) == count, "attend: saw {} of {} query sequences' {}",
          out.size(), count, what);
  return out;
}

Tensor moved(const Tensor& x, const Tensor& index, int replaced,
             std::initializer_list<int64_t> front) {
  Shape shape(front);
  int64_t before = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < replaced) {
      before *= x.size(i);
    } else {
      shape.push(x.size(i));
    }
  }
  const Tensor flat = reshape(x, {before, x.numel() / std::max<int64_t>(before, 1)});
  return reshape(index.defined() ? gather_rows(flat, index) : flat, shape);
}

}  // namespace

Geometry::Geometry(const Asked& asked)
    : queries_(asked.queries),
      memory_lengths_(asked.memory_lengths.begin(), asked.memory_lengths.end()),
      memory_of_(or_default(asked.memory_of, queries_.count(), true, "memory")),
      first_position_(or_default(asked.first_position, queries_.count(), false, "position")),
      memories_(static_cast<int64_t>(memory_lengths_.size())) {
  std::vector<int64_t> used(memory_lengths_.size(), 0);
  for (int64_t q = 0; q < queries_.count(); ++q) {
    require(memory_of_[q] >= 0 && memory_of_[q] < memories_,
            "attend: query sequence {} names memory {}, there are {}", q, memory_of_[q], memories_);
    used[memory_of_[q]] += queries_.lengths()[q];
  }
  rows_ = used.empty() ? 0 : *std::max_element(used.begin(), used.end());
  is_single_step_ = std::all_of(queries_.lengths().begin(), queries_.lengths().end(),
                                [](int32_t length) { return length <= 1; });
  const auto cells = static_cast<size_t>(memories_ * rows_);
  std::vector<int32_t> row_of_cell(cells, -1);
  std::vector<int32_t> cell_of_row(static_cast<size_t>(queries_.rows()), -1);
  std::vector<float> position(cells, -1);
  std::vector<float> slots(cells, 0);
  std::fill(used.begin(), used.end(), 0);
  is_full_ = static_cast<int64_t>(cells) == queries_.rows();
  for (int64_t q = 0; q < queries_.count(); ++q) {
    const int32_t m = memory_of_[q];
    for (int32_t t = 0; t < queries_.lengths()[q]; ++t) {
      const int64_t cell = m * rows_ + used[m]++;
      const int32_t row = queries_.starts()[q] + t;
      row_of_cell[cell] = row;
      cell_of_row[row] = static_cast<int32_t>(cell);
      position[cell] = static_cast<float>(first_position_[q] + t);
      slots[cell] = static_cast<float>(memory_lengths_[m]);
      is_full_ = is_full_ && cell == row;
    }
  }
  const Shape grid{memories_, 1, 1, rows_};
  position_ = Tensor::of(position, grid, asked.place);
  slots_ = Tensor::of(slots, grid, asked.place);
  if (!is_full_) {
    const Place index = asked.place.with(DType::i32);
    row_of_cell_ = Tensor::of(row_of_cell, {memories_ * rows_}, index);
    cell_of_row_ = Tensor::of(cell_of_row, {queries_.rows()}, index);
  }
}

Tensor Geometry::to_grid(const Tensor& rows) const {
  require(rows.size(0) == queries_.rows(), "attend: saw {} query rows, needs {}", rows.size(0),
          queries_.rows());
  return moved(rows, row_of_cell_, 1, {memories_, rows_});
}

Tensor Geometry::to_rows(const Tensor& grid) const {
  return moved(grid, cell_of_row_, 2, {queries_.rows()});
}

}  // namespace heed
