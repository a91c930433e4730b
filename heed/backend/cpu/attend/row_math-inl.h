// Vector functions over rows, shared by weights.cpp and weights_gradient.cpp.

// Included once for each target: Highway's toggle replaces `#pragma once`.
#if defined(HEED_BACKEND_CPU_ATTEND_ROW_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ATTEND_ROW_MATH_INL_H
#undef HEED_BACKEND_CPU_ATTEND_ROW_MATH_INL_H
#else
#define HEED_BACKEND_CPU_ATTEND_ROW_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/backend/cpu/attend/weights.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Vector = hn::Vec<Wide>;
constexpr float lowest = -std::numeric_limits<float>::infinity();

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(Wide())); }
HWY_INLINE Vector all(float x) { return hn::Set(Wide(), x); }
HWY_INLINE Vector load(const float* from) { return hn::LoadU(Wide(), from); }
HWY_INLINE void store(Vector x, float* to) { hn::StoreU(x, Wide(), to); }
HWY_INLINE float sum_of(Vector x) { return hn::GetLane(hn::SumOfLanes(Wide(), x)); }

/// 2ˣ for x ≤ 127, relative error below 2e-7; 0 from −127 down; NaN stays.
///   x = n + r, |r| ≤ ½, 2ʳ by a minimax polynomial that is 1 at 0, so that 2⁻¹²⁷ comes out as 0
HWY_INLINE Vector power_of_two(Vector x) {
  const hn::RebindToSigned<Wide> whole;
  const Vector magic = all(12582912.0F);  // 1.5·2²³: adding it rounds to a whole number
  const Vector low = all(-127.0F);
  const Vector held = hn::IfThenElse(hn::Lt(x, low), low, x);  // Max could lose NaN
  const Vector shifted = hn::Add(held, magic);
  const Vector r = hn::Sub(held, hn::Sub(shifted, magic));
  Vector p = hn::MulAdd(r, all(0.0013264646F), all(0.009671576F));
  p = hn::MulAdd(p, r, all(0.055507347F));
  p = hn::MulAdd(p, r, all(0.24022241F));
  p = hn::MulAdd(p, r, all(0.693147F));
  p = hn::MulAdd(p, r, all(1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(whole, shifted));
  return hn::BitCast(Wide(), hn::Add(hn::BitCast(whole, p), exponent));
}

/// 1/y for 1 ≤ y ≤ 2, an estimate refined twice.
HWY_INLINE Vector reciprocal(Vector y) {
  Vector r = hn::ApproximateReciprocal(y);
  r = hn::Mul(r, hn::NegMulAdd(y, r, all(2.0F)));
  return hn::Mul(r, hn::NegMulAdd(y, r, all(2.0F)));
}

/// σ(x) from e^(−|x|): exact 0 at −∞.
HWY_INLINE Vector logistic(Vector x) {
  const Vector e = power_of_two(hn::Mul(hn::Abs(x), all(-1.44269504F)));
  const Vector r = reciprocal(hn::Add(all(1.0F), e));
  return hn::Mul(hn::IfThenElse(hn::Lt(x, hn::Zero(Wide())), e, all(1.0F)), r);
}

/// Whole vectors that cover a row's open columns.
struct Span {
  int64_t begin;
  int64_t end;
};

HWY_INLINE Span span_of(const WeightRow& row) {
  const int64_t n = lanes();
  return {row.begin / n * n, (row.end + n - 1) / n * n};
}

/// Writes `value` where the span's vectors reach beyond the open columns.
HWY_INLINE void fill_ends(float* x, const WeightRow& row, const Span& span, float value) {
  const Wide d;
  if (span.begin < row.begin) {
    const auto closed = hn::FirstN(d, static_cast<size_t>(row.begin - span.begin));
    store(hn::IfThenElse(closed, all(value), load(x + span.begin)), x + span.begin);
  }
  if (row.end < span.end) {
    const int64_t last = span.end - lanes();
    const auto open = hn::FirstN(d, static_cast<size_t>(row.end - last));
    store(hn::IfThenElse(open, load(x + last), all(value)), x + last);
  }
}

/// Zeros from `first` to the span and from it to `last`.
HWY_INLINE void clear_outside(float* x, const WeightRow& row, const Span& span) {
  for (int64_t j = row.first; j < span.begin; ++j) {
    x[j] = 0;
  }
  for (int64_t j = span.end; j < row.last; ++j) {
    x[j] = 0;
  }
}

HWY_INLINE bool sees_nothing(const WeightRow& row) { return row.begin >= row.end; }

HWY_INLINE void clear(float* x, const WeightRow& row) {
  for (int64_t j = row.first; j < row.last; ++j) {
    x[j] = 0;
  }
}

/// Adds the bias to a row's scores, and scales them first if that is necessary. Returns the factor
/// that is still to be applied.
HWY_INLINE float biased(const WeightRows& w, int64_t i, bool at_once) {
  const WeightRow& row = w.row[i];
  float* e = w.e[i];
  const auto rate = static_cast<float>(w.scale);
  if (row.bias != nullptr) {
    for (int64_t j = row.begin; j < row.end; ++j) {
      e[j] = e[j] * rate + row.bias[j * w.bias_stride];
    }
    return 1;
  }
  if (rate > 0 && (!at_once || rate == 1)) {
    return rate;
  }
  for (int64_t j = row.begin; j < row.end; ++j) {
    e[j] *= rate;
  }
  return 1;
}

/// Scores as the normaliser takes them; `rate` is the factor that is still to be applied.
struct Ready {
  float* e;
  Span span;
  float rate;  // the factor still to be applied
};

HWY_INLINE Ready ready(const WeightRows& w, int64_t i, bool at_once) {
  const float rate = biased(w, i, at_once);
  const Ready out{w.e[i], span_of(w.row[i]), rate};
  fill_ends(out.e, w.row[i], out.span, lowest);
  return out;
}

HWY_INLINE float most_of(const float* e, const Span& span) {
  const int64_t n = lanes();
  Vector a = all(lowest);
  Vector b = a;
  Vector c = a;
  Vector f = a;
  int64_t j = span.begin;
  for (; j + 4 * n <= span.end; j += 4 * n) {
    a = hn::Max(a, load(e + j));
    b = hn::Max(b, load(e + j + n));
    c = hn::Max(c, load(e + j + 2 * n));
    f = hn::Max(f, load(e + j + 3 * n));
  }
  for (; j < span.end; j += n) {
    a = hn::Max(a, load(e + j));
  }
  return hn::GetLane(hn::MaxOfLanes(Wide(), hn::Max(hn::Max(a, b), hn::Max(c, f))));
}

/// The bias, minus log n if asked for.
inline float shift_of(const Streaming& how, const WeightRow& row) {
  const auto bias = static_cast<float>(how.bias);
  return how.subtract_log_count ? bias - std::log(std::max(row.count, 1.0F)) : bias;
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
