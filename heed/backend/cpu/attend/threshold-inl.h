// τ of α-entmax: Σ_j max(0, x_j − τ)^(1/(α−1)) = 1 for x = (α−1)(z − max z), −1 ≤ τ < 0.
//
// Only vectors with some x > −1 matter; they are gathered first and are a few per cent of a long
// row. Newton's method starts at τ = −1, where the convex, falling left side is above 1. Its steps
// rise to the root and, for α = 2, reach it after finitely many (Michelot 1986). Other α use
// bisection.
#include <hwy/highway.h>

#include "heed/backend/cpu/attend/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// Gathers x = rate · e − peak of the vectors with some x > −1; returns their number of floats.
HWY_INLINE int64_t gather_candidates(const Ready& in, float peak, float* to) {
  const Wide d;
  constexpr int64_t n = lanes;
  const Floats rate = spread(in.rate);
  const Floats less = spread(-peak);
  const Floats bound = spread(-1.0F);
  int64_t count = 0;
  for (int64_t j = in.span.begin; j < in.span.end; j += n) {
    const Floats x = hn::MulAdd(load(in.e + j), rate, less);
    store(to + count, x);
    count += hn::AllFalse(d, hn::Gt(x, bound)) ? 0 : n;
  }
  return count;
}

/// One step of Newton towards Σ (x − τ)₊ = 1 or, squared, Σ (x − τ)₊² = 1.
template <bool Squared>
HWY_INLINE float better_threshold(const float* x, int64_t count, float tau) {
  const Floats zero = hn::Zero(Wide());
  const Floats at = spread(tau);
  Floats total = zero;
  Floats gradient = zero;
  for (int64_t j = 0; j < count; j += lanes) {
    const Floats above = hn::Max(zero, hn::Sub(load(x + j), at));
    if constexpr (Squared) {
      total = hn::MulAdd(above, above, total);
      gradient = hn::MulAdd(above, spread(2.0F), gradient);
    } else {
      total = hn::Add(total, above);
      gradient = hn::Add(gradient, hn::IfThenElseZero(hn::Gt(above, zero), spread(1.0F)));
    }
  }
  return tau + (sum_of(total) - 1) / sum_of(gradient);
}

template <bool Squared>
HWY_INLINE float threshold_by_newton(const float* x, int64_t count) {
  float tau = -1;
  for (int round = 0; round < 64; ++round) {
    const float next = better_threshold<Squared>(x, count, tau);
    const bool rises = next > tau;
    tau = next;  // rounding may make the last step fall
    if (!rises) {
      break;
    }
  }
  return tau;
}

inline float threshold_by_halving(const float* x, int64_t count, double power) {
  double low = -1;
  double high = 0;
  for (int round = 0; round < 50; ++round) {
    const double middle = (low + high) / 2;
    double total = 0;
    for (int64_t j = 0; j < count; ++j) {
      total += x[j] > middle ? std::pow(x[j] - middle, power) : 0;
    }
    (total > 1 ? low : high) = middle;
  }
  return static_cast<float>((low + high) / 2);
}

HWY_INLINE float threshold_of(const float* x, int64_t count, double alpha) {
  if (alpha == 2) {
    return threshold_by_newton<false>(x, count);
  }
  if (alpha == 1.5) {
    return threshold_by_newton<true>(x, count);
  }
  return threshold_by_halving(x, count, 1 / (alpha - 1));
}

/// e ← max(0, x − τ)^(1/(α−1)), x = rate · e − peak.
HWY_INLINE void above_threshold(const Ready& in, const WeightRow& row, double alpha) {
  const Floats rate = spread(in.rate);
  const Floats less = spread(-row.peak);
  const Floats tau = spread(row.level);
  const Floats zero = hn::Zero(Wide());
  for (int64_t j = in.span.begin; j < in.span.end; j += lanes) {
    const Floats x = hn::MulAdd(load(in.e + j), rate, less);
    const Floats above = hn::Max(zero, hn::Sub(x, tau));
    store(in.e + j, alpha == 1.5 ? hn::Mul(above, above) : above);
  }
  if (alpha != 1.5 && alpha != 2) {
    const auto power = static_cast<float>(1 / (alpha - 1));
    for (int64_t j = in.span.begin; j < in.span.end; ++j) {
      in.e[j] = in.e[j] > 0 ? std::pow(in.e[j], power) : 0;
    }
  }
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
