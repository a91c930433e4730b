#include "heed/tensor/layout.h"

#include <algorithm>

namespace heed {

Layout Layout::packed(std::span<const int32_t> lengths, const Place& place) {
  std::vector<int32_t> start;
  int32_t next = 0;
  for (const int32_t length : lengths) {
    start.push_back(next);
    next += length;
  }
  return make(lengths, std::move(start), next, place);
}

Layout Layout::padded(std::span<const int32_t> lengths, int64_t width, const Place& place) {
  std::vector<int32_t> start;
  for (size_t b = 0; b < lengths.size(); ++b) {
    require(lengths[b] <= width, "layout: saw a sequence of {} rows in a block of {}", lengths[b],
            width);
    start.push_back(static_cast<int32_t>(static_cast<int64_t>(b) * width));
  }
  return make(lengths, std::move(start), static_cast<int64_t>(lengths.size()) * width, place);
}

Layout Layout::with_grids(std::vector<GridExtent> grids) const {
  require(grids.size() == data_->length.size(), "layout: saw {} grids for {} sequences",
          grids.size(), data_->length.size());
  for (size_t b = 0; b < grids.size(); ++b) {
    require(grids[b].height * grids[b].width == data_->length[b],
            "layout: saw a grid of {} × {} for a sequence of {} rows", grids[b].height,
            grids[b].width, data_->length[b]);
  }
  auto data = std::make_shared<Data>(*data_);
  data->grids = std::move(grids);
  Layout layout;
  layout.data_ = std::move(data);
  return layout;
}

Layout Layout::make(std::span<const int32_t> lengths, std::vector<int32_t> start, int64_t rows,
                    const Place& place) {
  auto data = std::make_shared<Data>();
  data->start = std::move(start);
  data->length.assign(lengths.begin(), lengths.end());
  data->rows = rows;
  data->width = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const int64_t count = static_cast<int64_t>(lengths.size());
  data->is_full = rows == count * data->width;
  std::vector<int32_t> row_of_cell(static_cast<size_t>(count * data->width), -1);
  std::vector<int32_t> cell_of_row(static_cast<size_t>(rows), -1);
  for (int64_t b = 0; b < count; ++b) {
    data->is_full = data->is_full && data->start[b] == b * data->width && lengths[b] == data->width;
    for (int32_t t = 0; t < lengths[b]; ++t) {
      row_of_cell[b * data->width + t] = data->start[b] + t;
      cell_of_row[data->start[b] + t] = static_cast<int32_t>(b * data->width + t);
    }
  }
  const Place index = place.with(DType::i32);
  data->length_tensor = Tensor::of(lengths, {count}, index);
  data->row_of_cell = Tensor::of(row_of_cell, {count * data->width}, index);
  data->cell_of_row = Tensor::of(cell_of_row, {rows}, index);
  Layout layout;
  layout.data_ = std::move(data);
  return layout;
}

}  // namespace heed
