// rotary, alibi, relative: nothing is added to the rows, y = x. The positions enter the scores of
// self-attention instead (rotary.h, alibi.h, relative_buckets.h).
#include "heed/nn/positions.h"

namespace heed {
namespace {

class PositionsInScores : public PositionCode {
 public:
  explicit PositionsInScores(InScores how) : how_(how) {}
  void build(int64_t /*width*/, Init& /*init*/) override {}
  Tensor operator()(const Tensor& x, const RowPositions& /*at*/) const override { return x; }
  InScores in_scores() const override { return how_; }

 private:
  InScores how_;
};

}  // namespace

std::unique_ptr<PositionCode> rotary_positions() {
  return std::make_unique<PositionsInScores>(InScores::rotary);
}
std::unique_ptr<PositionCode> alibi_positions() {
  return std::make_unique<PositionsInScores>(InScores::alibi);
}
std::unique_ptr<PositionCode> relative_positions() {
  return std::make_unique<PositionsInScores>(InScores::relative);
}

}  // namespace heed
