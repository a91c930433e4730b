#include "heed/backend/cpu/attend/temper.h"

#include <array>

#include "heed/backend/cpu/vector_math.h"

namespace heed::cpu {

void gaussian_row(const Gaussian& at, int64_t first, int64_t n, float* g) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float off = static_cast<float>(static_cast<int32_t>(first + j)) - at.centre;
    g[j] = VectorMath::exp(off * off * at.rate);
  }
}

namespace {

constexpr size_t counters = 16;  // side by side, so that their rounds vectorise

/// The words of `counters` blocks from `first` on, in order.
std::array<uint32_t, 4 * counters> words_from(const Draws& draws, uint64_t first) {
  std::array<uint32_t, counters> a, b, c, d;
  for (size_t i = 0; i < counters; ++i) {
    a[i] = static_cast<uint32_t>(first + i);
    b[i] = static_cast<uint32_t>((first + i) >> 32);
    c[i] = static_cast<uint32_t>(draws.step());
    d[i] = static_cast<uint32_t>(draws.step() >> 32);
  }
  auto key = static_cast<uint32_t>(draws.philox().key);
  auto other = static_cast<uint32_t>(draws.philox().key >> 32);
  for (int round = 0; round < 10; ++round, key += 0x9E3779B9U, other += 0xBB67AE85U) {
#pragma omp simd
    for (size_t i = 0; i < counters; ++i) {
      const uint64_t left = uint64_t{0xD2511F53U} * a[i];
      const uint64_t right = uint64_t{0xCD9E8D57U} * c[i];
      a[i] = static_cast<uint32_t>(right >> 32) ^ b[i] ^ key;
      c[i] = static_cast<uint32_t>(left >> 32) ^ d[i] ^ other;
      b[i] = static_cast<uint32_t>(right);
      d[i] = static_cast<uint32_t>(left);
    }
  }
  std::array<uint32_t, 4 * counters> words;
  for (size_t i = 0; i < counters; ++i) {
    words[4 * i] = a[i];
    words[4 * i + 1] = b[i];
    words[4 * i + 2] = c[i];
    words[4 * i + 3] = d[i];
  }
  return words;
}

}  // namespace

void keep_row(const AttendDropout& dropout, uint64_t first, int64_t n, float* keep) {
  const Draws draws(dropout.key);
  const auto rate = static_cast<float>(dropout.rate);
  const auto kept = static_cast<float>(1 / (1 - dropout.rate));
  uint64_t from = first % 4;
  uint64_t block = first / 4;
  for (int64_t j = 0; j < n; block += counters, from = 0) {
    const auto words = words_from(draws, block);
    const int64_t count = std::min<int64_t>(n - j, static_cast<int64_t>(words.size() - from));
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      const float uniform = (static_cast<float>(words[from + i] >> 9) + 0.5F) * 0x1p-23F;
      keep[j + i] = uniform >= rate ? kept : 0.0F;
    }
    j += count;
  }
}

void multiply_row(float* x, const float* y, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    x[j] *= y[j];
  }
}

void scale_row(float* x, float by, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    x[j] *= by;
  }
}

float entropy_row(const float* u, int64_t n, float factor) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < n; ++j) {
    const float w = u[j] * factor;
    total += w * VectorMath::log(choose(w > 1e-30F, w, 1e-30F));
  }
  return -total;
}

int64_t argmax_row(const float* u, int64_t n, float factor) {
  float most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t j = 0; j < n; ++j) {
    most = u[j] > most ? u[j] : most;
  }
  // Weights that differ before the factor may be equal after it.
  most *= factor;
  for (int64_t j = 0; j < n && most > 0; ++j) {
    if (u[j] * factor == most) {
      return j;
    }
  }
  return -1;
}

float gaussian_slope_row(const Gaussian& at, const SlotRange& slots, const float* weights,
                         const float* g, float* slope) {
  const auto first = static_cast<int32_t>(slots.begin);
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < slots.end - slots.begin; ++j) {
    const float off = static_cast<float>(first + static_cast<int32_t>(j)) - at.centre;
    slope[j] *= g[j];
    total += slope[j] * weights[j] * off;
  }
  return -2 * at.rate * total;
}

}  // namespace heed::cpu
