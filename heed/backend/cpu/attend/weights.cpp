#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/weights.cpp"
#include "heed/backend/cpu/attend/weights.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "heed/backend/cpu/attend/threshold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

constexpr float log2_e = 1.44269504F;

/// e ← 2^(rate e − peak); the sum.
HWY_INLINE float exponentials(const Ready& in, float rate, float peak) {
  const int64_t n = lanes();
  const Vector times = all(rate);
  const Vector less = all(-peak);
  Vector total = hn::Zero(Wide());
  Vector more = total;
  int64_t j = in.span.begin;
  for (; j + 2 * n <= in.span.end; j += 2 * n) {
    const Vector a = power_of_two(hn::MulAdd(load(in.e + j), times, less));
    const Vector b = power_of_two(hn::MulAdd(load(in.e + j + n), times, less));
    store(a, in.e + j);
    store(b, in.e + j + n);
    total = hn::Add(total, a);
    more = hn::Add(more, b);
  }
  if (j < in.span.end) {
    const Vector a = power_of_two(hn::MulAdd(load(in.e + j), times, less));
    store(a, in.e + j);
    total = hn::Add(total, a);
  }
  return sum_of(hn::Add(total, more));
}

/// How one kind of normaliser weighs a row, and weighs it again by the state of the first time.
struct ByExp {
  static constexpr bool at_once = false;
  void weigh(const Ready& in, WeightRow& row, float* /*spare*/) const {
    const float rate = in.rate * log2_e;
    const float most = most_of(in.e, in.span);
    if (most == lowest) {  // open, but all of it −∞
      row.peak = 0;
      exponentials(in, rate, 0);
      return;
    }
    row.peak = most * rate;
    row.factor = 1 / exponentials(in, rate, row.peak);
    row.level = row.factor;
  }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    const Vector rate = all(in.rate * log2_e);
    const Vector less = all(-row.peak);
    const Vector factor = all(row.level);
    for (int64_t j = in.span.begin; j < in.span.end; j += lanes()) {
      store(hn::Mul(power_of_two(hn::MulAdd(load(in.e + j), rate, less)), factor), in.e + j);
    }
  }
};

struct ByLargest : ByExp {
  static constexpr bool at_once = true;
  int64_t k;
  explicit ByLargest(int64_t kept) : k(kept) {}
  void weigh(const Ready& in, WeightRow& row, float* spare) const {
    keep_largest(in.e + in.span.begin, in.span.end - in.span.begin, k, spare);
    ByExp::weigh(in, row, spare);
  }
  void reweigh(const Ready& in, const WeightRow& row, float* spare) const {
    keep_largest(in.e + in.span.begin, in.span.end - in.span.begin, k, spare);
    ByExp::reweigh(in, row, spare);
  }
};

/// relu or sigmoid.
template <Streaming::Kind kind>
struct BySlot {
  static constexpr bool at_once = false;
  const Streaming& how;

  float slot_by_slot(const Ready& in, float shift, float factor) const {
    const Vector rate = all(in.rate);
    const Vector more = all(shift);
    const Vector times = all(factor);
    Vector total = hn::Zero(Wide());
    for (int64_t j = in.span.begin; j < in.span.end; j += lanes()) {
      const Vector x = hn::MulAdd(load(in.e + j), rate, more);
      const Vector u = kind == Streaming::Kind::relu ? hn::Max(hn::Zero(Wide()), x) : logistic(x);
      total = hn::Add(total, u);
      store(hn::Mul(u, times), in.e + j);
    }
    return sum_of(total);
  }
  void weigh(const Ready& in, WeightRow& row, float* /*spare*/) const {
    const float total = slot_by_slot(in, shift_of(how, row), 1);
    const float by = how.divide == Streaming::Divide::sum     ? total
                     : how.divide == Streaming::Divide::count ? row.count
                                                              : 1;
    row.factor = by != 0 ? 1 / by : 1;
    row.level = row.factor;
  }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    slot_by_slot(in, shift_of(how, row), row.level);
  }
};

struct ByThreshold {
  static constexpr bool at_once = false;
  double alpha;

  Ready scaled(Ready in) const {
    in.rate *= static_cast<float>(alpha - 1);
    return in;
  }
  void weigh(const Ready& in, WeightRow& row, float* spare) const {
    const Ready x = scaled(in);
    const float most = most_of(x.e, x.span);
    if (most == lowest) {
      row.peak = 0;
      row.level = 0;
      above_threshold(x, row, alpha);
      return;
    }
    row.peak = most * x.rate;
    row.level = threshold_of(spare, gather_candidates(x, row.peak, spare), alpha);
    row.factor = 1;
    above_threshold(x, row, alpha);
  }
  void reweigh(const Ready& in, const WeightRow& row, float* /*spare*/) const {
    above_threshold(scaled(in), row, alpha);
  }
};

template <class Kind>
void weigh_each(const WeightRows& w, const Kind& kind) {
  for (int64_t i = 0; i < w.rows; ++i) {
    WeightRow& row = w.row[i];
    row.peak = 0;
    row.level = 0;
    row.factor = 0;
    if (sees_nothing(row)) {
      clear(w.e[i], row);
      continue;
    }
    const Ready in = ready(w, i, Kind::at_once);
    kind.weigh(in, row, w.spare);
    clear_outside(in.e, row, in.span);
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

/// run(kind) with the kind that the description says.
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
  with_kind(normaliser, [&](const auto& kind) HWY_ATTR { weigh_each(w, kind); });
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
