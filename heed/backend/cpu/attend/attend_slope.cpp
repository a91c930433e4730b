// Fused attention, backward. A piece is some rows of all heads that share one key/value head. Where
// there are few such heads their rows are split, and each part but the first adds up dK, dV and dv
// in memory of its own; those are added in order at the end, so that the bits do not depend on the
// threads.
#include "heed/backend/cpu/attend/additive_tiles.h"
#include "heed/backend/cpu/attend/backward.h"
#include "heed/backend/cpu/attend/checks.h"
#include "heed/backend/cpu/attend/dot_tiles.h"
#include "heed/backend/cpu/attend/rounded_attend.h"
#include "heed/backend/cpu/attend/rounded_tiles.h"
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"

namespace heed::cpu {
namespace {

constexpr int64_t enough_pieces = 8;
constexpr int64_t most_partial_floats = 6 << 20;  // 24 MiB
constexpr int64_t work_a_chunk = 1 << 18;         // multiply-adds

template <class Policy>
class Slope {
 public:
  using Setup = typename Backward<Policy>::Setup;

  explicit Slope(const AttendSlope& slope, Setup setup = {})
      : slope_(slope),
        setup_(setup),
        query_(slope.step.score.query.shape),
        groups_(query_[0] * query_[1]),
        slots_(slope.step.values.shape[2]),
        pair_width_(query_[4]),
        width_(slope.step.values.shape[3]) {
    const int64_t blocks = pieces_of(query_[3], most_rows_a_block);
    const int64_t affordable =
        1 + most_partial_floats / std::max<int64_t>(1, groups_ * slots_ * (pair_width_ + width_));
    const int64_t parts =
        std::min({pieces_of(enough_pieces, std::max<int64_t>(1, groups_)), blocks, affordable});
    rows_a_part_ = pieces_of(blocks, std::max<int64_t>(1, parts)) * most_rows_a_block;
    parts_ = pieces_of(query_[3], rows_a_part_);
  }

  void run() {
    if (parts_ == 0) {
      for (int64_t group = 0; group < groups_; ++group) {
        start_slots(group);
      }
      return;
    }
    const int64_t own = slots_ * (pair_width_ + width_);
    const int64_t dv_size = wants_dv() ? query_[2] * pair_width_ : 0;
    float* memory =
        scratch(Scratch::partial_sums, groups_ * ((parts_ - 1) * own + parts_ * dv_size));
    dv_ = memory + groups_ * (parts_ - 1) * own;
    sums_ = memory;
    const int64_t work =
        query_[2] * std::min(query_[3], rows_a_part_) * slots_ * (pair_width_ + width_);
    each_range(groups_ * parts_, std::max<int64_t>(1, work_a_chunk / std::max<int64_t>(1, work)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t unit = begin; unit < end; ++unit) {
                   piece(unit / parts_, unit % parts_);
                 }
               });
    each_range(parts_ > 1 ? groups_ : 0, 1,
               [&](int64_t begin, int64_t /*end*/) { add_parts(begin); });
    add_dv();
  }

 private:
  bool wants_dv() const { return slope_.dv.data != nullptr; }
  HeadOf head(int64_t group) const { return {group / query_[1], group % query_[1], 0}; }

  /// Where part `part` of a group adds up; part 0 in the gradients themselves.
  SharedSlopes shared(int64_t group, int64_t part) const {
    SharedSlopes to;
    if (part == 0) {
      to.dkeys = group_rows(slope_.dkeys, head(group));
      to.dvalues = group_rows(slope_.dvalues, head(group));
    } else {
      float* at = sums_ + (group * (parts_ - 1) + part - 1) * slots_ * (pair_width_ + width_);
      to.dkeys = slope_.dkeys.data != nullptr ? TileRows{at, pair_width_} : TileRows();
      to.dvalues =
          slope_.dvalues.data != nullptr ? TileRows{at + slots_ * pair_width_, width_} : TileRows();
    }
    if (wants_dv()) {
      to.dv = {dv_ + (group * parts_ + part) * query_[2] * pair_width_, pair_width_};
    }
    return to;
  }

  void piece(int64_t group, int64_t part) const {
    const SharedSlopes to = shared(group, part);
    if (part == 0) {
      start_slots(group);
    } else {
      std::fill_n(to.dkeys.data, to.dkeys ? slots_ * pair_width_ : 0, 0.0F);
      std::fill_n(to.dvalues.data, to.dvalues ? slots_ * width_ : 0, 0.0F);
    }
    std::fill_n(to.dv.data, to.dv ? query_[2] * pair_width_ : 0, 0.0F);
    const int64_t row = part * rows_a_part_;
    Backward<Policy>(slope_, setup_)
        .piece(head(group), row, std::min(rows_a_part_, query_[3] - row), to);
  }

  /// While they are near: the caches hold one group's.
  void start_slots(int64_t group) const {
    const SharedSlopes to = shared(group, 0);
    for (int64_t s = 0; slope_.writes_slots && s < slots_; ++s) {
      std::fill_n(to.dkeys ? to.dkeys[s] : nullptr, to.dkeys ? pair_width_ : 0, 0.0F);
      std::fill_n(to.dvalues ? to.dvalues[s] : nullptr, to.dvalues ? width_ : 0, 0.0F);
    }
  }

  static void add_rows(TileRows to, TileRows from, int64_t rows, int64_t width) {
    for (int64_t i = 0; to && i < rows; ++i) {
      float* sum = to[i];
      const float* more = from[i];
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        sum[j] += more[j];
      }
    }
  }

  void add_parts(int64_t group) const {
    const SharedSlopes to = shared(group, 0);
    for (int64_t part = 1; part < parts_; ++part) {
      const SharedSlopes from = shared(group, part);
      add_rows(to.dkeys, from.dkeys, slots_, pair_width_);
      add_rows(to.dvalues, from.dvalues, slots_, width_);
    }
  }

  void add_dv() const {
    if (!wants_dv()) {
      return;
    }
    const View& dv = slope_.dv;  // [G, P, A]
    for (int64_t group = 0; group < groups_; ++group) {
      float* to = dv.as<float>() + head(group).group * dv.strides[0];
      for (int64_t part = 0; part < parts_; ++part) {
        add_rows({to, dv.strides[1]}, shared(group, part).dv, query_[2], pair_width_);
      }
    }
  }

  const AttendSlope& slope_;
  Setup setup_;
  Shape query_;  // [M, G, P, R, A]
  int64_t groups_;
  int64_t slots_;
  int64_t pair_width_;
  int64_t width_;
  int64_t rows_a_part_ = 0;
  int64_t parts_ = 0;
  float* sums_ = nullptr;
  float* dv_ = nullptr;
};

}  // namespace

void attend_slope_rounded(const AttendSlope& slope, const TileKernel& kernel) {
  check_slope(slope, "attend_slope");
  Slope<RoundedDotTiles>(slope, {&kernel}).run();
}

void attend_slope(const AttendSlope& slope) {
  if (const TileKernel* kernel = rounding_kernel(slope.step)) {
    return attend_slope_rounded(slope, *kernel);
  }
  check_slope(slope, "attend_slope");
  if (std::holds_alternative<DotPairs>(slope.step.score.kind)) {
    Slope<DotTiles>(slope).run();
  } else {
    Slope<AdditiveTiles>(slope).run();
  }
}

}  // namespace heed::cpu
