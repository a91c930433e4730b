// Floats functions over rows, shared by weights.cpp and weights_gradient.cpp.

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
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {
constexpr float lowest = -std::numeric_limits<float>::infinity();

/// Whole vectors that cover a row's open columns.
struct Span {
  int64_t begin;
  int64_t end;
};

HWY_INLINE Span span_of(const WeightRow& row) {
  return {row.begin / lanes * lanes, (row.end + lanes - 1) / lanes * lanes};
}

/// Writes `value` where the span's vectors reach beyond the open columns.
HWY_INLINE void fill_ends(float* x, const WeightRow& row, const Span& span, float value) {
  const Wide d;
  if (span.begin < row.begin) {
    const auto closed = hn::FirstN(d, static_cast<size_t>(row.begin - span.begin));
    store(x + span.begin, hn::IfThenElse(closed, spread(value), load(x + span.begin)));
  }
  if (row.end < span.end) {
    const int64_t last = span.end - lanes;
    const auto open = hn::FirstN(d, static_cast<size_t>(row.end - last));
    store(x + last, hn::IfThenElse(open, load(x + last), spread(value)));
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
  constexpr int64_t n = lanes;
  Floats a = spread(lowest);
  Floats b = a;
  Floats c = a;
  Floats f = a;
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
