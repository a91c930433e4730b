// learned: y = x + P[p], p < maximum (Gehring 2017).
#include <cmath>

#include "heed/config/limits.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/embedding.h"

namespace heed {
namespace {

class LearnedPositions : public PositionCode {
 public:
  void describe(Describer& d) override {
    d.setting("maximum", maximum_, {.help = "number of positions", .least = 1, .most = most_slots});
    d.parameter("table", table_);
  }
  void build(int64_t width, Init& init) override {
    table_ = init.normal({maximum_, width}, 1 / std::sqrt(static_cast<double>(width)));
  }
  Tensor operator()(const Tensor& x, const RowPositions& at) const override {
    require(at.bound <= maximum_,
            "learned positions: there is no position {}, only those below {}; raise the setting "
            "maximum or shorten the sequence",
            at.bound - 1, maximum_);
    return x + embedding(table_, at.number);
  }
  int64_t positions() const override { return maximum_; }

 private:
  int64_t maximum_ = 1024;
  Tensor table_;  // P [maximum, D]
};

}  // namespace

std::unique_ptr<PositionCode> learned_positions() { return std::make_unique<LearnedPositions>(); }

}  // namespace heed
