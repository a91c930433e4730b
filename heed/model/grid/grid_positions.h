// Positions of the cells of grids, in two directions: a code of the row is added to the first half of
// the channels, and a code of the column to the second half.
//
//   y = x + [code(row); code(column)],  each of D/2 channels
//
// The codes are those of sequences (nn/positions.h) that are added to rows: learned, sinusoidal, none.
#pragma once

#include <memory>
#include <string>

#include "heed/nn/positions.h"

namespace heed {

class GridPositions : public Module {
 public:
  /// The setting "position" of a front, with this code as its default.
  explicit GridPositions(const std::string& code);
  void describe_settings(Describer& d);
  /// Names the parameters.
  void describe(Describer& d) override;
  /// Fault::usage if the code enters scores, or if the width is odd.
  void build(int64_t width, Init& init);

  /// x [cells, width], with a layout of grids.
  Tensor operator()(const Tensor& x, const Layout& layout) const;

 private:
  bool is_none() const;

  std::unique_ptr<PositionCode> code_;  // a prototype
  std::unique_ptr<PositionCode> rows_;
  std::unique_ptr<PositionCode> columns_;
};

}  // namespace heed
