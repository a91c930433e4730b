// Closes all but the k largest of a row: the k-th largest is found by selection, and of those equal
// to it the first are kept.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "heed/backend/cpu/attend/weights.h"

namespace heed::cpu {
namespace {

constexpr int64_t most_kept = 32;  // for larger k, selection among all is faster

/// A whole number that sorts like the float, so that even NaN has an order; −0 counts as 0.
int32_t ordered(float x) {
  const auto bits = std::bit_cast<int32_t>(x + 0.0F);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// The k-th largest of e, by keeping the k largest so far: with a small k few elements get among
/// them.
int32_t kth_of_few(const float* e, int64_t n, int64_t k) {
  constexpr int64_t block = 16;
  std::array<int32_t, most_kept> best;
  std::fill_n(best.begin(), k, std::numeric_limits<int32_t>::min());
  const auto last = static_cast<size_t>(k - 1);
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t end = std::min(n, begin + block);
    int32_t most = std::numeric_limits<int32_t>::min();
#pragma omp simd reduction(max : most)
    for (int64_t j = begin; j < end; ++j) {
      most = std::max(most, ordered(e[j]));
    }
    for (int64_t j = begin; most > best[last] && j < end; ++j) {
      const int32_t x = ordered(e[j]);
      size_t place = last;
      if (x <= best[last]) {
        continue;
      }
      for (; place > 0 && best[place - 1] < x; --place) {
        best[place] = best[place - 1];
      }
      best[place] = x;
    }
  }
  return best[last];
}

int32_t kth_of_many(const float* e, int64_t n, int64_t k, float* spare) {
  std::copy(e, e + n, spare);
  const auto before = [](float a, float b) { return ordered(a) > ordered(b); };
  std::nth_element(spare, spare + k - 1, spare + n, before);
  return ordered(spare[k - 1]);
}

}  // namespace

void keep_largest(float* e, int64_t n, int64_t k, float* spare) {
  if (k >= n) {
    return;
  }
  const float closed = -std::numeric_limits<float>::infinity();
  const int32_t least = k <= most_kept ? kth_of_few(e, n, k) : kth_of_many(e, n, k, spare);
  int64_t kept = 0;
#pragma omp simd reduction(+ : kept)
  for (int64_t j = 0; j < n; ++j) {
    const int32_t is = ordered(e[j]);
    kept += is >= least ? 1 : 0;
    e[j] = is < least ? closed : e[j];
  }
  for (int64_t j = n - 1; kept > k; --j) {  // of equal ones the last are closed
    if (ordered(e[j]) == least) {
      e[j] = closed;
      --kept;
    }
  }
}

}  // namespace heed::cpu
