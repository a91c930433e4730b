#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/weights.cpp"
#include "heed/backend/cpu/attend/weights.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "heed/backend/cpu/attend/threshold-inl.h"
#include "heed/backend/cpu/attend/weigh_by_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// e ← factor · u(e); returns the sum of u. Four vectors at a time, because one alone is limited by
/// its latency.
template <bool scales, class U>
HWY_INLINE float each_weight(const Ready& in, float factor, const U& u) {
  constexpr int64_t side_by_side = 4;
  constexpr int64_t n = lanes;
  const Floats by = spread(factor);
  float* e = in.e;
  const int64_t end = in.span.end;
  Floats total[side_by_side];
  for (Floats& each : total) {
    each = hn::Zero(Wide());
  }
  int64_t j = in.span.begin;
  for (; j + side_by_side * n <= end; j += side_by_side * n) {
    Floats x[side_by_side];
    for (int64_t i = 0; i < side_by_side; ++i) {
      x[i] = u(load(e + j + i * n));
    }
    for (int64_t i = 0; i < side_by_side; ++i) {
      total[i] = hn::Add(total[i], x[i]);
      store(e + j + i * n, scales ? hn::Mul(x[i], by) : x[i]);
    }
  }
  for (; j < end; j += n) {
    const Floats x = u(load(e + j));
    total[0] = hn::Add(total[0], x);
    store(e + j, scales ? hn::Mul(x, by) : x);
  }
  return sum_of(hn::Add(hn::Add(total[0], total[1]), hn::Add(total[2], total[3])));
}

/// How one kind of normaliser weighs: all rows together in `weigh_rows`, or a row in two steps,
/// where `find` reads the scores and `weigh` replaces them. `reweigh` computes the weights of a row
/// again from the stored state.
struct ByExp {
  static constexpr bool at_once = false;

  void weigh_rows(const WeightRows& w) const {
    float rate = 1;
    for (int64_t i = 0; i < w.rows; ++i) {
      rate = biased(w, i, at_once);
    }
    weigh_by_exp(w, rate);
  }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    const Floats rate = spread(in.rate * log2_e);
    const Floats less = spread(-row.peak);
    each_weight<true>(in, row.level, [=](Floats e) HWY_ATTR {
      return exp2_to_127(Wide(), hn::MulAdd(e, rate, less));
    });
  }
};

struct ByLargest : ByExp {
  static constexpr bool at_once = true;
  int64_t k;
  explicit ByLargest(int64_t kept) : k(kept) {}

  void weigh_rows(const WeightRows& w) const {
    for (int64_t i = 0; i < w.rows; ++i) {
      if (!sees_nothing(w.row[i])) {
        close_others(ready(w, i, at_once), w.spare);
      }
    }
    weigh_by_exp(w, 1);
  }
  void reweigh(const Ready& in, const WeightRow& row, float* spare) const {
    close_others(in, spare);
    ByExp::reweigh(in, row, spare);
  }

 private:
  void close_others(const Ready& in, float* spare) const {
    keep_largest(in.e + in.span.begin, in.span.end - in.span.begin, k, spare);
  }
};

/// relu or sigmoid.
template <Streaming::Kind kind>
struct BySlot {
  static constexpr bool at_once = false;
  const Streaming& how;

  void find(const Ready& /*in*/, WeightRow& /*row*/, float* /*spare*/) const {}
  void weigh(const Ready& in, WeightRow& row) const {
    const float total = apply<false>(in, row);
    const float by = how.divide == Streaming::Divide::sum     ? total
                     : how.divide == Streaming::Divide::count ? row.count
                                                              : 1;
    row.factor = by != 0 ? 1 / by : 1;
    row.level = row.factor;
  }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    apply<true>(in, row);
  }

 private:
  template <bool scales>
  HWY_INLINE float apply(const Ready& in, const WeightRow& row) const {
    const Floats rate = spread(in.rate);
    const Floats more = spread(shift_of(how, row));
    return each_weight<scales>(in, row.level, [=](Floats e) HWY_ATTR {
      const Floats x = hn::MulAdd(e, rate, more);
      if constexpr (kind == Streaming::Kind::relu) {
        return hn::IfThenElseZero(hn::Gt(x, hn::Zero(Wide())), x);
      } else {
        return sigmoid(Wide(), x);
      }
    });
  }
};

struct ByThreshold {
  static constexpr bool at_once = false;
  double alpha;

  Ready scaled(Ready in) const {
    in.rate *= static_cast<float>(alpha - 1);
    return in;
  }
  void find(const Ready& in, WeightRow& row, float* spare) const {
    const Ready x = scaled(in);
    const float most = most_of(x.e, x.span);
    if (most == lowest) {
      return;
    }
    row.peak = most * x.rate;
    row.level = threshold_of(spare, gather_candidates(x, row.peak, spare), alpha);
    row.factor = 1;
  }
  void weigh(const Ready& in, WeightRow& row) const { above_threshold(scaled(in), row, alpha); }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    above_threshold(scaled(in), row, alpha);
  }
};

/// A few rows go through each step together, so that the work on one hides the latencies of
/// another.
template <class Kind>
void weigh_each(const WeightRows& w, const Kind& kind) {
  constexpr int64_t together = 8;
  for (int64_t first = 0; first < w.rows; first += together) {
    const int64_t last = std::min(w.rows, first + together);
    Ready in[together];
    for (int64_t i = first; i < last; ++i) {
      WeightRow& row = w.row[i];
      row.peak = 0;
      row.level = 0;
      row.factor = 0;
      row.entropy = -1;
      if (!sees_nothing(row)) {
        in[i - first] = ready(w, i, Kind::at_once);
        kind.find(in[i - first], row, w.spare);
      }
    }
    for (int64_t i = first; i < last; ++i) {
      WeightRow& row = w.row[i];
      if (sees_nothing(row)) {
        clear(w.e[i], row);
      } else {
        kind.weigh(in[i - first], row);
        clear_outside(w.e[i], row, in[i - first].span);
      }
    }
  }
}

template <class Kind>
void reweigh_each(const WeightRows& w, const Kind& kind) {
  for (int64_t i = 0; i < w.rows; ++i) {
    const WeightRow& row = w.row[i];
    if (sees_nothing(row)) {
      clear(w.e[i], row);
      continue;
    }
    const Ready in = ready(w, i, Kind::at_once);
    kind.reweigh(in, row, w.spare);
    clear_outside(in.e, row, in.span);
  }
}

/// Calls run(kind) with the kind that the description names.
template <class Run>
void with_kind(const LoweredNormaliser& normaliser, const Run& run) {
  if (const auto* threshold = std::get_if<Threshold>(&normaliser)) {
    threshold->k > 0 ? run(ByLargest(threshold->k)) : run(ByThreshold{threshold->alpha});
    return;
  }
  const auto& streaming = std::get<Streaming>(normaliser);
  switch (streaming.kind) {
    case Streaming::Kind::exp:
      return run(ByExp());
    case Streaming::Kind::relu:
      return run(BySlot<Streaming::Kind::relu>{streaming});
    case Streaming::Kind::sigmoid:
      return run(BySlot<Streaming::Kind::sigmoid>{streaming});
  }
}

void weigh_block(const WeightRows& w, const LoweredNormaliser& normaliser) {
  with_kind(normaliser, [&](const auto& kind) HWY_ATTR {
    if constexpr (requires { kind.weigh_rows(w); }) {
      kind.weigh_rows(w);
    } else {
      weigh_each(w, kind);
    }
  });
}
void reweigh_block(const WeightRows& w, const LoweredNormaliser& normaliser) {
  with_kind(normaliser, [&](const auto& kind) HWY_ATTR { reweigh_each(w, kind); });
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(weigh_block);
HWY_EXPORT(reweigh_block);

void weigh(const WeightRows& w, const LoweredNormaliser& normaliser) {
  HWY_DYNAMIC_DISPATCH(weigh_block)(w, normaliser);
}
void reweigh(const WeightRows& w, const LoweredNormaliser& normaliser) {
  HWY_DYNAMIC_DISPATCH(reweigh_block)(w, normaliser);
}
}  // namespace heed::cpu
#endif
