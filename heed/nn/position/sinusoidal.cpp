// sinusoidal (Vaswani 2017 §3.5), for any position p, whole or not, with the angles θ_i of angles.h:
//
//   interleaved   y_2i = x_2i + sin θ_i,  y_2i+1 = x_2i+1 + cos θ_i
//   halves        y_i = x_i + sin θ_i,    y_⌈D/2⌉+i = x_⌈D/2⌉+i + cos θ_i
#include "heed/nn/angles.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"

namespace heed {
namespace {

enum class Waves { interleaved, halves };

class SinusoidalPositions : public PositionCode {
 public:
  void describe(Describer& d) override {
    d.setting("base", base_,
              {.help = "the longest wavelength is about 2π times this", .least = 2, .most = 1e12});
    d.setting("waves", waves_, {{"interleaved", Waves::interleaved}, {"halves", Waves::halves}},
              {"where sines and cosines are: in turns, or all sines before all cosines"});
    d.setting(
        "slowest", slowest_,
        {{"behind_the_last", SlowestWave::behind_the_last}, {"the_last", SlowestWave::the_last}},
        {"which wave has the wavelength 2π base: one behind the last, exponents 2i/D, or the "
         "last, exponents i/(D/2 − 1)"});
  }
  void build(int64_t /*width*/, Init& /*init*/) override {}
  Tensor operator()(const Tensor& x, const RowPositions& at) const override {
    const int64_t width = x.size(-1);
    const Tensor theta = angles(at.number, width, base_, x.dtype(), slowest_);
    if (waves_ == Waves::halves) {
      return x + slice(concat({sin(theta), cos(theta)}, -1), -1, 0, width);
    }
    const Tensor pairs = stack({sin(theta), cos(theta)}, theta.rank());  // [N, ⌈D/2⌉, 2]
    const Tensor waves = reshape(pairs, {theta.size(0), 2 * theta.size(1)});
    return x + slice(waves, -1, 0, width);
  }

 private:
  double base_ = 10000;
  Waves waves_ = Waves::interleaved;
  SlowestWave slowest_ = SlowestWave::behind_the_last;
};

}  // namespace

std::unique_ptr<PositionCode> sinusoidal_positions() {
  return std::make_unique<SinusoidalPositions>();
}

}  // namespace heed
