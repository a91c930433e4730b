// none: y = x, for what learns the order otherwise (recurrence, biases in the scores) or not at
// all.
#include "heed/nn/positions.h"

namespace heed {
namespace {

class NoPositions : public PositionCode {
 public:
  void build(int64_t /*width*/, Init& /*init*/) override {}
  Tensor operator()(const Tensor& x, const RowPositions& /*at*/) const override { return x; }
};

}  // namespace

std::unique_ptr<PositionCode> no_positions() { return std::make_unique<NoPositions>(); }

}  // namespace heed
