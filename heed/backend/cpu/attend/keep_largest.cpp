// All but the k largest of a row closed: the k-th largest is found by selection, and of those equal
// to it the first stay.
#include <algorithm>
#include <bit>
#include <limits>

#include "heed/backend/cpu/attend/weights.h"

namespace heed::cpu {
namespace {

/// Whole numbers in the order of the floats, so that even NaN has its place; −0 counts as 0.
int32_t ordered(float x) {
  const auto bits = std::bit_cast<int32_t>(x + 0.0F);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

}  // namespace

void keep_largest(float* e, int64_t n, int64_t k, float* spare) {
  if (k >= n) {
    return;
  }
  std::copy(e, e + n, spare);
  const auto before = [](float a, float b) { return ordered(a) > ordered(b); };
  std::nth_element(spare, spare + k - 1, spare + n, before);
  const int32_t least = ordered(spare[k - 1]);
  int64_t ties = k;
  for (int64_t j = 0; j < n; ++j) {
    ties -= ordered(e[j]) > least ? 1 : 0;
  }
  for (int64_t j = 0; j < n; ++j) {
    const int32_t is = ordered(e[j]);
    if (is < least || (is == least && ties-- <= 0)) {
      e[j] = -std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace heed::cpu
