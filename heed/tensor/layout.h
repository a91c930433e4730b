// Sequences are rows plus (start, length): sequence b is rows start[b] … start[b] + length[b] − 1
// of a tensor [N, D].
//
// Padded batches, packed batches and beams all have this form. Token-wise ops see [N, D] and never
// compute padding. What needs time as a separate axis (recurrence, convolution) works on the grid
// [B, W, D], where W is the longest length (ops/grid.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Height and width of a sequence whose rows are the cells of a grid, row by row.
struct GridExtent {
  int32_t height = 0;
  int32_t width = 0;

  bool operator==(const GridExtent&) const = default;
};

class Layout {
 public:
  Layout() = default;
  /// Sequences one behind the other without gaps.
  static Layout packed(std::span<const int32_t> lengths, const Place& place);
  /// Each sequence in a block of `width` rows, the unused rows at the block's end.
  static Layout padded(std::span<const int32_t> lengths, int64_t width, const Place& place);

  /// The same layout, in which sequence b also has a height and width, such as a picture's patches.
  /// A grid has as many cells as its sequence has rows.
  Layout with_grids(std::vector<GridExtent> grids) const;

  bool defined() const { return data_ != nullptr; }
  int64_t count() const { return static_cast<int64_t>(data_->length.size()); }
  int64_t rows() const { return data_->rows; }
  int64_t width() const { return data_->width; }
  const std::vector<int32_t>& starts() const { return data_->start; }
  const std::vector<int32_t>& lengths() const { return data_->length; }
  /// One for each sequence; empty where the rows are not grids.
  const std::vector<GridExtent>& grids() const { return data_->grids; }
  /// Whether the rows fill the grid [B, W] in order and without padding, so that a reshape is
  /// enough.
  bool is_full() const { return data_->is_full; }

  const Tensor& length_tensor() const { return data_->length_tensor; }  // i32 [B]
  const Tensor& row_of_cell() const { return data_->row_of_cell; }  // i32 [B·W], −1 at padding
  const Tensor& cell_of_row() const { return data_->cell_of_row; }  // i32 [N], −1 at unused rows

 private:
  struct Data {
    std::vector<int32_t> start;
    std::vector<int32_t> length;
    std::vector<GridExtent> grids;
    int64_t rows = 0;
    int64_t width = 0;
    bool is_full = false;
    Tensor length_tensor;
    Tensor row_of_cell;
    Tensor cell_of_row;
  };
  static Layout make(std::span<const int32_t> lengths, std::vector<int32_t> start, int64_t rows,
                     const Place& place);
  std::shared_ptr<const Data> data_;
};

}  // namespace heed
