// none: y = x, for models that learn the order in another way (recurrence, biases in the scores) or
// not at all.
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
