#include "heed/model/grid/grid_positions.h"

#include <algorithm>

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/ops/concat.h"
#include "heed/ops/slice.h"

namespace heed {
namespace {

/// The numbers of all cells' rows, or of their columns.
RowPositions numbers(const Layout& layout, bool of_rows, const Place& place) {
  std::vector<int32_t> number;
  int64_t bound = 0;
  for (const GridExtent& grid : layout.grids()) {
    for (int32_t i = 0; i < grid.height; ++i) {
      for (int32_t j = 0; j < grid.width; ++j) {
        number.push_back(of_rows ? i : j);
      }
    }
    bound = std::max<int64_t>(bound, of_rows ? grid.height : grid.width);
  }
  return {Tensor::of(number, {layout.rows()}, place.with(DType::i32)), bound};
}

std::unique_ptr<PositionCode> copy_of(PositionCode& code) {
  auto made = make_part(positions(), code.kind());
  apply(*made, config_of(code));
  return made;
}

}  // namespace

GridPositions::GridPositions(const std::string& code) : code_(make_part(positions(), code)) {}

bool GridPositions::is_none() const { return code_->kind() == "none"; }

void GridPositions::describe_settings(Describer& d) {
  d.part(
      "position", code_, positions(),
      "a code of the cell's row in the first half of the channels, of its column in the second; "
      "the encoder's own positions count cells in reading order, so set those to none, or these");
}

void GridPositions::describe(Describer& d) {
  if (rows_) {
    d.built("rows", *rows_);
    d.built("columns", *columns_);
  }
}

void GridPositions::build(int64_t width, Init& init) {
  if (is_none()) {
    return;
  }
  if (code_->in_scores() != InScores::nothing) {
    fail(Fault::usage,
         "position: {} enters the scores of self-attention, which there is none of here; set it to "
         "learned, sinusoidal or none",
         code_->kind());
  }
  if (width % 2 != 0) {
    fail(Fault::usage,
         "position: {} channels are an odd number, and half are for the row and half for the "
         "column; change the width or set position to none",
         width);
  }
  rows_ = copy_of(*code_);
  columns_ = copy_of(*code_);
  rows_->build(width / 2, init);
  columns_->build(width / 2, init);
}

Tensor GridPositions::operator()(const Tensor& x, const Layout& layout) const {
  if (!rows_) {
    return x;
  }
  const int64_t half = x.size(1) / 2;
  return concat({(*rows_)(slice(x, 1, 0, half), numbers(layout, true, x.place())),
                 (*columns_)(slice(x, 1, half, half), numbers(layout, false, x.place()))},
                1);
}

}  // namespace heed
