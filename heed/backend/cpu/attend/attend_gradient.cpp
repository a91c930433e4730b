// Fused attention, backward. A piece is some rows of all heads that share one key/value head. Where
// there are few such heads their rows are split into parts. Each part but the first sums dK, dV and
// dv in its own memory; these sums are added in order at the end, so that the bits do not depend on
// the threads.
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
class Gradient {
 public:
  using Setup = typename Backward<Policy>::Setup;

  explicit Gradient(const AttendGradient& gradient, Setup setup = {})
      : gradient_(gradient),
        setup_(setup),
        query_(gradient.step.score.query.shape),
        groups_(query_[0] * query_[1]),
        slots_(gradient.step.values.shape[2]),
        pair_width_(query_[4]),
        width_(gradient.step.values.shape[3]) {
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
  bool wants_dv() const { return gradient_.dv.data != nullptr; }
  HeadOf head(int64_t group) const { return {group / query_[1], group % query_[1], 0}; }

  /// Where part `part` of a group adds its gradients; part 0 adds to the results themselves.
  SharedGradients shared(int64_t group, int64_t part) const {
    SharedGradients to;
    if (part == 0) {
      to.dkeys = group_rows(gradient_.dkeys, head(group));
      to.dvalues = group_rows(gradient_.dvalues, head(group));
    } else {
      float* at = sums_ + (group * (parts_ - 1) + part - 1) * slots_ * (pair_width_ + width_);
      to.dkeys = gradient_.dkeys.data != nullptr ? TileRows{at, pair_width_} : TileRows();
      to.dvalues = gradient_.dvalues.data != nullptr ? TileRows{at + slots_ * pair_width_, width_}
                                                     : TileRows();
    }
    if (wants_dv()) {
      to.dv = {dv_ + (group * parts_ + part) * query_[2] * pair_width_, pair_width_};
    }
    return to;
  }

  void piece(int64_t group, int64_t part) const {
    const SharedGradients to = shared(group, part);
    if (part == 0) {
      start_slots(group);
    } else {
      std::fill_n(to.dkeys.data, to.dkeys ? slots_ * pair_width_ : 0, 0.0F);
      std::fill_n(to.dvalues.data, to.dvalues ? slots_ * width_ : 0, 0.0F);
    }
    std::fill_n(to.dv.data, to.dv ? query_[2] * pair_width_ : 0, 0.0F);
    const int64_t row = part * rows_a_part_;
    Backward<Policy>(gradient_, setup_)
        .piece(head(group), row, std::min(rows_a_part_, query_[3] - row), to);
  }

  /// Called just before a group's work, because the caches hold the gradients of one group.
  void start_slots(int64_t group) const {
    const SharedGradients to = shared(group, 0);
    for (int64_t s = 0; gradient_.writes_slots && s < slots_; ++s) {
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
    const SharedGradients to = shared(group, 0);
    for (int64_t part = 1; part < parts_; ++part) {
      const SharedGradients from = shared(group, part);
      add_rows(to.dkeys, from.dkeys, slots_, pair_width_);
      add_rows(to.dvalues, from.dvalues, slots_, width_);
    }
  }

  /// The sums of all memories are added up first, so that they do not depend on what dv holds.
  void add_dv() const {
    if (!wants_dv()) {
      return;
    }
    for (int64_t group = 0; group < groups_; ++group) {
      const int64_t first = head(group).group;  // the same heads of the first memory
      for (int64_t part = group == first ? 1 : 0; part < parts_; ++part) {
        add_rows(shared(first, 0).dv, shared(group, part).dv, query_[2], pair_width_);
      }
    }
    const View& dv = gradient_.dv;  // [G, P, A]
    for (int64_t group = 0; group < query_[1]; ++group) {
      float* to = dv.as<float>() + group * dv.strides[0];
      add_rows({to, dv.strides[1]}, shared(group, 0).dv, query_[2], pair_width_);
    }
  }

  const AttendGradient& gradient_;
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

void attend_gradient_rounded(const AttendGradient& gradient, const TileKernel& kernel) {
  check_gradient(gradient, "attend_gradient");
  Gradient<RoundedDotTiles>(gradient, {&kernel}).run();
}

void attend_gradient(const AttendGradient& gradient) {
  if (const TileKernel* kernel = rounding_kernel(gradient.step)) {
    return attend_gradient_rounded(gradient, *kernel);
  }
  check_gradient(gradient, "attend_gradient");
  if (std::holds_alternative<DotPairs>(gradient.step.score.kind)) {
    Gradient<DotTiles>(gradient).run();
  } else {
    Gradient<AdditiveTiles>(gradient).run();
  }
}

}  // namespace heed::cpu
