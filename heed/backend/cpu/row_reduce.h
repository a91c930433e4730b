// Reduces one row in 16 lanes, then the lanes in order, so that the order of a sum depends on its
// length only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "heed/backend/cpu/lanes.h"

namespace heed::cpu {

struct Sum {
  template <class T>
  using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int64_t, double>;
  template <class T>
  static T start() {
    return 0;
  }
  template <class X>
  static X join(X a, X b) {
    return a + b;
  }
};

struct Max {
  template <class T>
  using Wide = T;
  template <class T>
  static T start() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  /// For numbers or lanes; the result is NaN if either is.
  template <class X>
  static X join(X a, X b) {
    return ((b > a) | (b != b)) ? b : a;
  }
};

/// Reduces up to some thousand dense elements.
template <class Op, class T>
typename Op::template Wide<T> reduce_block(const T* x, int64_t n) {
  constexpr int64_t wide = 4 * lane_count;
  Lanes<T> a = spread(Op::template start<T>());
  Lanes<T> b = a;
  Lanes<T> c = a;
  Lanes<T> d = a;
  int64_t i = 0;
  for (; i + wide <= n; i += wide) {
    a = Op::join(a, load(x + i));
    b = Op::join(b, load(x + i + lane_count));
    c = Op::join(c, load(x + i + 2 * lane_count));
    d = Op::join(d, load(x + i + 3 * lane_count));
  }
  for (; i + lane_count <= n; i += lane_count) {
    a = Op::join(a, load(x + i));
  }
  using Wide = typename Op::template Wide<T>;
  Wide total = Op::template start<Wide>();
  for (const Lanes<T>& lanes : {a, b, c, d}) {
    for (int64_t lane = 0; lane < lane_count; ++lane) {
      total = Op::join(total, static_cast<Wide>(lanes[lane]));
    }
  }
  for (; i < n; ++i) {
    total = Op::join(total, static_cast<Wide>(x[i]));
  }
  return total;
}

template <class Op, class T>
typename Op::template Wide<T> reduce_row(const T* x, int64_t stride, int64_t n) {
  constexpr int64_t block = 2048;  // short enough for sums in float lanes to be precise
  using Wide = typename Op::template Wide<T>;
  Wide total = Op::template start<Wide>();
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t width = std::min(block, n - begin);
    if (stride == 1) {
      total = Op::join(total, reduce_block<Op>(x + begin, width));
      continue;
    }
    T dense[block];
    for (int64_t i = 0; i < width; ++i) {
      dense[i] = x[(begin + i) * stride];
    }
    total = Op::join(total, reduce_block<Op>(dense, width));
  }
  return total;
}

inline float row_max(const float* x, int64_t n) { return reduce_row<Max>(x, 1, n); }

inline double row_sum(const float* x, int64_t n) { return reduce_row<Sum>(x, 1, n); }

}  // namespace heed::cpu
