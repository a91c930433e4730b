// sinusoidal (Vaswani 2017 §3.5), for any position, whole or not:
//
//   y_2i = x_2i + sin(p / base^(2i/D)),  y_2i+1 = x_2i+1 + cos(p / base^(2i/D))
#include "heed/nn/angles.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"

namespace heed {
namespace {

class SinusoidalPositions : public PositionCode {
 public:
  void describe(Describer& d) override {
    d.setting("base", base_,
              {.help = "the longest wavelength is about 2π times this", .least = 2, .most = 1e12});
  }
  void build(int64_t /*width*/, Init& /*init*/) override {}
  Tensor operator()(const Tensor& x, const RowPositions& at) const override {
    const int64_t width = x.size(-1);
    const Tensor theta = angles(at.number, width, base_, x.dtype());
    const Tensor pairs = stack({sin(theta), cos(theta)}, theta.rank());  // [N, ⌈D/2⌉, 2]
    const Tensor waves = reshape(pairs, {theta.size(0), 2 * theta.size(1)});
    return x + slice(waves, -1, 0, width);
  }

 private:
  double base_ = 10000;
};

}  // namespace

std::unique_ptr<PositionCode> sinusoidal_positions() {
  return std::make_unique<SinusoidalPositions>();
}

}  // namespace heed
