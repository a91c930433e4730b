// Transposes dense rows, four columns of as many rows as a register has lanes at a time:
//
//   four elements of rows r, r + 4, …  →  one register;  then 4 × 4 blocks of four registers
//
// So for any register width lanes are exchanged only within groups of four.

// Included once for each target: Highway's toggle replaces `#pragma once`.
#if defined(HEED_BACKEND_CPU_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_TURN_INL_H
#undef HEED_BACKEND_CPU_TURN_INL_H
#else
#define HEED_BACKEND_CPU_TURN_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Loads four elements of row 0, then of row 4, of row 8, …, as many as the register holds.
template <class D>
HWY_INLINE hn::Vec<D> load_fours(D d, const float* x, int64_t row) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return hn::LoadU(d, x);
  } else {
    const hn::Half<D> half;
    constexpr auto rows = static_cast<int64_t>(hn::MaxLanes(half));
    return hn::Combine(d, load_fours(half, x + rows * row, row), load_fours(half, x, row));
  }
}

/// to[c * to_row + r] ← x[r * row + c] for c < 4 and as many r as there are lanes.
template <class D>
HWY_INLINE void turn_four_columns(D d, const float* x, int64_t row, float* to, int64_t to_row) {
  const hn::Repartition<double, D> pairs;
  const auto first = load_fours(d, x, row);
  const auto second = load_fours(d, x + row, row);
  const auto third = load_fours(d, x + 2 * row, row);
  const auto fourth = load_fours(d, x + 3 * row, row);
  const auto upper_low = hn::BitCast(pairs, hn::InterleaveLower(d, first, second));
  const auto upper_high = hn::BitCast(pairs, hn::InterleaveUpper(d, first, second));
  const auto lower_low = hn::BitCast(pairs, hn::InterleaveLower(d, third, fourth));
  const auto lower_high = hn::BitCast(pairs, hn::InterleaveUpper(d, third, fourth));
  const auto put = [&](int64_t column, auto elements)
                       HWY_ATTR { hn::StoreU(hn::BitCast(d, elements), d, to + column * to_row); };
  put(0, hn::InterleaveLower(pairs, upper_low, lower_low));
  put(1, hn::InterleaveUpper(pairs, upper_low, lower_low));
  put(2, hn::InterleaveLower(pairs, upper_high, lower_high));
  put(3, hn::InterleaveUpper(pairs, upper_high, lower_high));
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
