// sinusoidal (Vaswani 2017 §3.5), for any position p, whole or not, with the angles θ_i of angles.h:
//
//   interleaved   y_2i = x_2i + sin θ_i,  y_2i+1 = x_2i+1 + cos θ_i
//   halves        y_i = x_i + sin θ_i,    y_⌈D/2⌉+i = x_⌈D/2⌉+i + cos θ_i
//
// The waves of the first positions are made once and looked up.
#include <algorithm>
#include <bit>
#include <mutex>
#include <tuple>

#include "heed/nn/angles.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
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
    const bool is_kept = at.number.dtype() == DType::i32 && at.bound <= most_kept;
    return x + (is_kept ? gather_rows(table(at.bound, x), at.number)
                        : waves(at.number, x.size(-1), x.dtype()));
  }

 private:
  static constexpr int64_t least_kept = 256;
  static constexpr int64_t most_kept = 4096;

  /// [N, D]
  Tensor waves(const Tensor& number, int64_t width, DType dtype) const {
    const Tensor theta = angles(number, width, base_, dtype, slowest_);
    if (waves_ == Waves::halves) {
      return slice(concat({sin(theta), cos(theta)}, -1), -1, 0, width);
    }
    const Tensor pairs = stack({sin(theta), cos(theta)}, theta.rank());  // [N, ⌈D/2⌉, 2]
    return slice(reshape(pairs, {theta.size(0), 2 * theta.size(1)}), -1, 0, width);
  }
  /// The waves of at least the positions below `bound`, for rows like x.
  Tensor table(int64_t bound, const Tensor& x) const {
    const Place place = x.place().exact();
    const std::tuple settings{base_, waves_, slowest_};
    const std::lock_guard lock(guard_);
    if (!table_.defined() || table_.size(0) < bound || table_.size(1) != x.size(-1) ||
        !(table_.place() == place) || table_settings_ != settings) {
      const auto needed = static_cast<uint64_t>(std::max(bound, least_kept));
      const Tensor number =
          heed::positions(static_cast<int64_t>(std::bit_ceil(needed)), place.with(DType::i32));
      table_ = waves(number, x.size(-1), place.dtype).dense();
      table_settings_ = settings;
    }
    return table_;
  }

  double base_ = 10000;
  Waves waves_ = Waves::interleaved;
  SlowestWave slowest_ = SlowestWave::behind_the_last;
  mutable std::mutex guard_;
  mutable Tensor table_;  // [a power of two, D]
  mutable std::tuple<double, Waves, SlowestWave> table_settings_ = {};
};

}  // namespace

std::unique_ptr<PositionCode> sinusoidal_positions() {
  return std::make_unique<SinusoidalPositions>();
}

}  // namespace heed
