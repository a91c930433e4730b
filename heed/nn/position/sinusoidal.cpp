// sinusoidal (Vaswani 2017 §3.5), for any position, whole or not:
//
//   y_2i = x_2i + sin(p / base^(2i/D)),  y_2i+1 = x_2i+1 + cos(p / base^(2i/D))
//
// The waves of the first positions are made once and looked up.
#include <algorithm>
#include <bit>
#include <mutex>

#include "heed/nn/angles.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
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
    const bool is_kept = at.number.dtype() == DType::i32 && at.bound <= most_kept;
    return x + (is_kept ? gather_rows(table(at.bound, x), at.number)
                        : waves(at.number, x.size(-1), x.dtype()));
  }

 private:
  static constexpr int64_t least_kept = 256;
  static constexpr int64_t most_kept = 4096;

  /// [N, D]
  Tensor waves(const Tensor& number, int64_t width, DType dtype) const {
    const Tensor theta = angles(number, width, base_, dtype);
    const Tensor pairs = stack({sin(theta), cos(theta)}, theta.rank());  // [N, ⌈D/2⌉, 2]
    return slice(reshape(pairs, {theta.size(0), 2 * theta.size(1)}), -1, 0, width);
  }
  /// The waves of at least the positions below `bound`, for rows like x.
  Tensor table(int64_t bound, const Tensor& x) const {
    const Place place = x.place().exact();
    const std::lock_guard lock(guard_);
    if (!table_.defined() || table_.size(0) < bound || table_.size(1) != x.size(-1) ||
        !(table_.place() == place) || table_base_ != base_) {
      const auto needed = static_cast<uint64_t>(std::max(bound, least_kept));
      const Tensor number =
          heed::positions(static_cast<int64_t>(std::bit_ceil(needed)), place.with(DType::i32));
      table_ = waves(number, x.size(-1), place.dtype).dense();
      table_base_ = base_;
    }
    return table_;
  }

  double base_ = 10000;
  mutable std::mutex guard_;
  mutable Tensor table_;  // [a power of two, D]
  mutable double table_base_ = 0;
};

}  // namespace

std::unique_ptr<PositionCode> sinusoidal_positions() {
  return std::make_unique<SinusoidalPositions>();
}

}  // namespace heed
