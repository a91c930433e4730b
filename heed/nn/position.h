// A position code adds something to x [N, D] that depends on the position of each row.
#pragma once

#include <limits>

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/row_positions.h"

namespace heed {

/// What a code adds to the scores of self-attention, besides or instead of what it adds to the
/// rows.
enum class InScores { nothing, rotary, alibi, relative };

class PositionCode : public Module {
 public:
  void describe(Describer& /*d*/) override {}
  virtual void build(int64_t width, Init& init) = 0;
  /// x [N, D] → [N, D]
  virtual Tensor operator()(const Tensor& x, const RowPositions& at) const = 0;
  virtual InScores in_scores() const { return InScores::nothing; }
  /// How many positions there are.
  virtual int64_t positions() const { return std::numeric_limits<int64_t>::max(); }
};

}  // namespace heed
