// How a row learns where it stands: something is added to x [N, D] that depends on its position.
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/row_positions.h"

namespace heed {

class PositionCode : public Module {
 public:
  void describe(Describer& /*d*/) override {}
  virtual void build(int64_t width, Init& init) = 0;
  /// x [N, D] → [N, D]
  virtual Tensor operator()(const Tensor& x, const RowPositions& at) const = 0;
};

}  // namespace heed
