#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/temper.cpp"
#include "heed/backend/cpu/attend/temper.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include <algorithm>
#include <array>
#include <bit>

#include "heed/backend/cpu/philox_words-inl.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"
#include "heed/device/primitive_checks.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

HWY_FLATTEN void bell_row(const Gaussian& at, int64_t first, int64_t n, float* g) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float off = static_cast<float>(static_cast<int32_t>(first + j)) - at.centre;
    g[j] = off * off * at.rate;
  }
  transform(
      g, n, [](Floats x) HWY_ATTR { return exp(Wide(), x); }, g);
}

HWY_FLATTEN float plogp_row(const float* u, int64_t n, float factor) {
  return static_cast<float>(sums<1>(n, [=](auto at, int64_t j, Floats* sum) HWY_ATTR {
    const Floats w = hn::Mul(at.load(u + j), spread(factor));
    sum[0] = hn::MulAdd(w, log(Wide(), at_least(Wide(), 1e-30F, w)), sum[0]);
  })[0]);
}

void drawn_row(const AttendDropout& dropout, uint64_t first, int64_t n, float* keep) {
  const Draws draws(checks::read_key(dropout.key));
  const auto rate = static_cast<float>(dropout.rate);
  const auto kept = static_cast<float>(1 / (1 - dropout.rate));
  constexpr int64_t drawn = 64;  // at once; few, because rows are short
  std::array<uint32_t, drawn> words;
  auto from = static_cast<int64_t>(first % 4);
  int64_t begin = static_cast<int64_t>(first) - from;
  for (int64_t j = 0; j < n; begin += drawn, from = 0) {
    philox_words<drawn>(draws, begin, words.data());
    const int64_t count = std::min(n - j, drawn - from);
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const float uniform = (static_cast<float>(words[from + i] >> 9) + 0.5F) * 0x1p-23F;
      keep[j + i] = uniform >= rate ? kept : 0.0F;
    }
    j += count;
  }
}

void product_row(float* x, const float* y, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    x[j] *= y[j];
  }
}

void scaled_row(float* to, const float* x, float by, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    to[j] = x[j] * by;
  }
}

int64_t largest_of_row(const float* u, int64_t n, float factor) {
  int32_t bits = 0;  // the bits of non-negative floats sort like the floats
#pragma omp simd reduction(max : bits)
  for (int64_t j = 0; j < n; ++j) {
    bits = std::max(bits, std::bit_cast<int32_t>(u[j]));
  }
  // Weights that differ before the factor may be equal after it.
  const float most = std::bit_cast<float>(bits) * factor;
  constexpr int64_t some = 32;
  for (int64_t first = 0; first < n && most > 0; first += some) {
    const int64_t last = std::min(n, first + some);
    int hits = 0;
#pragma omp simd reduction(| : hits)
    for (int64_t j = first; j < last; ++j) {
      hits |= u[j] * factor == most ? 1 : 0;
    }
    for (int64_t j = first; hits != 0 && j < last; ++j) {
      if (u[j] * factor == most) {
        return j;
      }
    }
  }
  return -1;
}

float bell_gradient_row(const Gaussian& at, const SlotRange& slots, const float* weights,
                        const float* g, float* gradient) {
  const auto first = static_cast<int32_t>(slots.begin);
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < slots.end - slots.begin; ++j) {
    const float off = static_cast<float>(first + static_cast<int32_t>(j)) - at.centre;
    gradient[j] *= g[j];
    total += gradient[j] * weights[j] * off;
  }
  return -2 * at.rate * total;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(bell_row);
HWY_EXPORT(plogp_row);
HWY_EXPORT(drawn_row);
HWY_EXPORT(product_row);
HWY_EXPORT(scaled_row);
HWY_EXPORT(largest_of_row);
HWY_EXPORT(bell_gradient_row);

void gaussian_row(const Gaussian& at, int64_t first, int64_t n, float* g) {
  HWY_DYNAMIC_DISPATCH(bell_row)(at, first, n, g);
}
float entropy_row(const float* u, int64_t n, float factor) {
  return -HWY_DYNAMIC_DISPATCH(plogp_row)(u, n, factor);
}
void keep_row(const AttendDropout& dropout, uint64_t first, int64_t n, float* keep) {
  HWY_DYNAMIC_DISPATCH(drawn_row)(dropout, first, n, keep);
}
void multiply_row(float* x, const float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(product_row)(x, y, n);
}
void scale_row(float* to, const float* x, float by, int64_t n) {
  HWY_DYNAMIC_DISPATCH(scaled_row)(to, x, by, n);
}
int64_t argmax_row(const float* u, int64_t n, float factor) {
  return HWY_DYNAMIC_DISPATCH(largest_of_row)(u, n, factor);
}
float gaussian_gradient_row(const Gaussian& at, const SlotRange& slots, const float* weights,
                            const float* g, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(bell_gradient_row)(at, slots, weights, g, gradient);
}

}  // namespace heed::cpu
#endif
