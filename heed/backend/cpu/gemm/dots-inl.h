// Products of few dense rows with dense columns: up to 4 × 4 dot products at a time, each summed in
// the lanes of a vector.

// Included once for each target: Highway's toggle replaces `#pragma once`.
#if defined(HEED_BACKEND_CPU_GEMM_DOTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_GEMM_DOTS_INL_H
#undef HEED_BACKEND_CPU_GEMM_DOTS_INL_H
#else
#define HEED_BACKEND_CPU_GEMM_DOTS_INL_H
#endif

#include <hwy/highway.h>

#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/reduce_lanes-inl.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// out ← α sum + β out
HWY_INLINE void put(const Product& p, int64_t i, int64_t j, float sum) {
  float& to = p.out[i * p.out_row + j * p.out_column];
  to = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * to;
}

/// The groups of four lanes, added from the first to the last.
template <class D>
HWY_INLINE hn::Vec<Four> add_fours(D d, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return x;
  } else {
    const hn::Half<D> half;
    const auto first = add_fours(half, hn::LowerHalf(half, x));
    const auto second = hn::UpperHalf(half, x);
    if constexpr (hn::MaxLanes(half) == 4) {
      return hn::Add(first, second);
    } else {
      const hn::Half<decltype(half)> quarter;
      return hn::Add(hn::Add(first, hn::LowerHalf(quarter, second)),
                     hn::UpperHalf(quarter, second));
    }
  }
}

/// total[c] ← the sum of the lanes of sums[c]
template <int C>
HWY_INLINE void add_lanes(const Floats (&sums)[C], float (&total)[C]) {
  const Four four;
  const Wide d;
  if constexpr (C == 4) {
    hn::StoreU(reduce_lanes(four, Plus(), add_fours(d, sums[0]), add_fours(d, sums[1]),
                            add_fours(d, sums[2]), add_fours(d, sums[3])),
               four, total);
  } else {
    for (int c = 0; c < C; ++c) {
      HWY_ALIGN float lane[4];
      hn::Store(add_fours(d, sums[c]), four, lane);
      total[c] = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    }
  }
}

/// One row times one column: b is read from end to end, which is fastest for memory.
HWY_INLINE void dot_of_row(const Product& p, int64_t j) {
  constexpr int U = 8;
  constexpr int64_t ahead = 256;
  Floats sums[U];
  for (Floats& sum : sums) {
    sum = hn::Zero(Wide());
  }
  const float* b = p.b.data + j * p.b.column;
  int64_t k = 0;
  for (; k + U * lanes <= p.k; k += U * lanes) {
    HWY_UNROLL(8)
    for (int u = 0; u < U; ++u) {
      if (u * lanes % 16 == 0) {  // once for each line of the cache
        __builtin_prefetch(b + k + u * lanes + ahead);
      }
      sums[u] = hn::MulAdd(load(p.a.data + k + u * lanes), load(b + k + u * lanes), sums[u]);
    }
  }
  const Floats all[1] = {hn::Add(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])),
                                 hn::Add(hn::Add(sums[4], sums[5]), hn::Add(sums[6], sums[7])))};
  float total[1];
  add_lanes<1>(all, total);
  for (; k < p.k; ++k) {
    total[0] += p.a.data[k] * b[k];
  }
  put(p, 0, j, total[0]);
}

/// R rows × C columns. With `fetches_ahead` the first rows prefetch the next columns, because
/// columns are too short for the CPU's own prefetching.
template <int R, int C, bool fetches_ahead = false>
HWY_INLINE void dot_tile(const Product& p, int64_t i, int64_t j) {
  Floats sums[R][C];
  for (int n = 0; n < R * C; ++n) {
    sums[n / C][n % C] = hn::Zero(Wide());
  }
  const float* a = p.a.data + i * p.a.row;
  const float* b = p.b.data + j * p.b.column;
  int64_t k = 0;
  for (; k + lanes <= p.k; k += lanes) {
    Floats x[R];
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) {
      x[r] = load(a + r * p.a.row + k);
    }
    HWY_UNROLL(8)
    for (int c = 0; c < C; ++c) {
      const Floats y = load(b + c * p.b.column + k);
      if constexpr (fetches_ahead) {
        __builtin_prefetch(b + (c + C) * p.b.column + k);
      }
      HWY_UNROLL(8)
      for (int r = 0; r < R; ++r) {
        sums[r][c] = hn::MulAdd(x[r], y, sums[r][c]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < R; ++r) {
    float total[C];
    add_lanes<C>(sums[r], total);
    for (int64_t rest = k; rest < p.k; ++rest) {
      for (int c = 0; c < C; ++c) {
        total[c] += a[r * p.a.row + rest] * b[c * p.b.column + rest];
      }
    }
    for (int c = 0; c < C; ++c) {
      put(p, i + r, j + c, total[c]);
    }
  }
}

/// Cuts the rows into pieces of at most four rows, as even as possible.
template <int C>
HWY_INLINE void dot_columns(const Product& p, int64_t j) {
  int64_t pieces = (p.m + 3) / 4;
  for (int64_t i = 0; i < p.m; --pieces) {
    const int64_t rows = (p.m - i + pieces - 1) / pieces;
    if (rows == 4 && i == 0) {
      dot_tile<4, C, true>(p, i, j);
    } else if (rows == 4) {
      dot_tile<4, C>(p, i, j);
    } else if (rows == 3 && i == 0) {
      dot_tile<3, C, true>(p, i, j);
    } else if (rows == 3) {
      dot_tile<3, C>(p, i, j);
    } else if (rows == 2) {
      dot_tile<2, C>(p, i, j);
    } else {
      dot_tile<1, C>(p, i, j);
    }
    i += rows;
  }
}

/// Computes p; p.a.column and p.b.row must be 1.
HWY_INLINE void dots(const Product& p) {
  constexpr int64_t large = 1 << 18;  // elements of b: more than the near caches hold
  int64_t j = 0;
  if (p.m == 1 && p.n * p.k > large) {
    for (; j < p.n; ++j) {
      dot_of_row(p, j);
    }
  }
  for (; j + 4 <= p.n; j += 4) {
    dot_columns<4>(p, j);
  }
  for (; j < p.n; ++j) {
    dot_columns<1>(p, j);
  }
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
