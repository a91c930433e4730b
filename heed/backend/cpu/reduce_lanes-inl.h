// Reduces the lanes of four vectors together, in less than twice the steps that one vector takes.

// Included once for each target: Highway's toggle replaces `#pragma once`.
#if defined(HEED_BACKEND_CPU_REDUCE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_REDUCE_LANES_INL_H
#undef HEED_BACKEND_CPU_REDUCE_LANES_INL_H
#else
#define HEED_BACKEND_CPU_REDUCE_LANES_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<float, 4>;

struct Plus {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Larger {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
};

/// Combines the upper half with the lower half, down to four lanes.
template <class D, class Op>
HWY_INLINE hn::Vec<Four> reduce_halves(D d, Op op, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return x;
  } else {
    const hn::Half<D> half;
    return reduce_halves(half, op, op(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}

/// Lane i of the result is the reduction of all lanes of the i-th vector.
template <class D, class Op>
HWY_INLINE hn::Vec<Four> reduce_lanes(D d, Op op, hn::Vec<D> w, hn::Vec<D> x, hn::Vec<D> y,
                                      hn::Vec<D> z) {
  // Within each group of four lanes: w0+w2, x0+x2, w1+w3, x1+x3, and so for y and z.
  const auto ab = op(hn::InterleaveLower(d, w, x), hn::InterleaveUpper(d, w, x));
  const auto cd = op(hn::InterleaveLower(d, y, z), hn::InterleaveUpper(d, y, z));
  const hn::Repartition<double, D> pairs;
  const auto left =
      hn::BitCast(d, hn::InterleaveLower(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd)));
  const auto right =
      hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd)));
  return reduce_halves(d, op, op(left, right));
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
