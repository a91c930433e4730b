// One source for every SIMD target: a kernel's file includes itself once for each target (Highway),
// and the machine's best is chosen at run time. Such a file reads
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "heed/backend/cpu/softmax.cpp"  // itself
//   #include <hwy/foreach_target.h>
//   #include "heed/backend/cpu/simd-inl.h"
//   HWY_BEFORE_NAMESPACE();
//   namespace heed::cpu::HWY_NAMESPACE {
//   …                           functions over plain pointers
//   }
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   namespace heed::cpu {
//   HWY_EXPORT(softmax_row);    and calls of HWY_DYNAMIC_DISPATCH(softmax_row)
//   }
//   #endif
//
// Plain loops in such a file are vectorised for the target as well. A function marked HWY_FLATTEN
// inlines all that it calls; lambdas need HWY_ATTR. No struct may hold vectors, because the
// functions that the compiler generates for it would not be compiled for the target.

// Included once for each target: Highway's toggle replaces `#pragma once`.
#if defined(HEED_BACKEND_CPU_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_SIMD_INL_H
#undef HEED_BACKEND_CPU_SIMD_INL_H
#else
#define HEED_BACKEND_CPU_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// As many floats as the target's registers hold.
using Wide = hn::ScalableTag<float>;
using Floats = hn::Vec<Wide>;
inline constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(Wide()));

/// The number of vectors that a loop computes at a time, so that they hide each other's latency;
/// fewer where registers are few.
inline constexpr int64_t abreast = HWY_TARGET == HWY_NEON || HWY_TARGET <= HWY_AVX3 ? 4 : 2;

/// The number of elements that are summed in float before the sum is added in double.
inline constexpr int64_t block_of_sum = 2048;

/// The length of a row of whole tiles of `abreast` vectors and at most one block of a sum. The
/// loops below take it or a plain number; with it they have no code for the rest of a row or for a
/// second block, which would slow down short rows.
struct ShortLength {
  static constexpr bool fits(int64_t n) { return n % (abreast * lanes) == 0 && n <= block_of_sum; }
  constexpr operator int64_t() const { return n; }
  int64_t n;
};
template <class Length>
inline constexpr bool is_short = std::is_same_v<Length, ShortLength>;

HWY_INLINE Floats spread(float x) { return hn::Set(Wide(), x); }
HWY_INLINE Floats load(const float* from) { return hn::LoadU(Wide(), from); }
HWY_INLINE void store(float* to, Floats x) { hn::StoreU(x, Wide(), to); }
HWY_INLINE float sum_of(Floats x) { return hn::GetLane(hn::SumOfLanes(Wide(), x)); }

/// A whole vector of a row.
struct Whole {
  HWY_INLINE Floats load(const float* from, float = 0) const { return hn::LoadU(Wide(), from); }
  HWY_INLINE void store(float* to, Floats x) const { hn::StoreU(x, Wide(), to); }
};

/// The rest of a row, fewer than `lanes` elements; lanes beyond it hold `rest`. With four lanes
/// each is loaded by itself, because a vector made in memory would wait for its stores.
struct Part {
  int64_t count;

  HWY_INLINE Floats load(const float* from, float rest = 0) const {
    if constexpr (lanes == 4) {
      const Floats one = hn::InsertLane(spread(rest), 0, from[0]);
      const Floats two = count > 1 ? hn::InsertLane(one, 1, from[1]) : one;
      return count > 2 ? hn::InsertLane(two, 2, from[2]) : two;
    }
    HWY_ALIGN float held[lanes];
    hn::Store(spread(rest), Wide(), held);
    for (int64_t i = 0; i < count; ++i) {
      held[i] = from[i];
    }
    return hn::Load(Wide(), held);
  }
  HWY_INLINE void store(float* to, Floats x) const {
    if constexpr (lanes == 4) {
      to[0] = hn::GetLane(x);
      if (count > 1) {
        to[1] = hn::ExtractLane(x, 1);
      }
      if (count > 2) {
        to[2] = hn::ExtractLane(x, 2);
      }
      return;
    }
    HWY_ALIGN float held[lanes];
    hn::Store(x, Wide(), held);
    for (int64_t i = 0; i < count; ++i) {
      to[i] = held[i];
    }
  }
};

/// Calls body(at, j) for the vectors of a row of n, in order; at.load(x + j) and at.store(y + j, …)
/// access the elements from j on, a whole vector or the last part.
template <class Body>
HWY_INLINE void sweep(int64_t n, const Body& body) {
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    body(Whole(), j);
  }
  if (j < n) {
    body(Part{n - j}, j);
  }
}

/// out_j ← f(x_j, …) for j < n; out may be one of the operands. The result of an element does not
/// depend on its position. Vectors are stored after `Side` of them are computed, because the
/// compiler can interleave their steps only if no store lies between the loads.
template <int64_t Side = abreast, class Length, class F, class... In>
HWY_INLINE void transform(float* out, Length n, const F& f, const In*... in) {
  static_assert(abreast % Side == 0);
  int64_t j = 0;
  for (; j + Side * lanes <= n; j += Side * lanes) {
    Floats y[Side];
    HWY_UNROLL(4)
    for (int64_t k = 0; k < Side; ++k) {
      y[k] = f(Whole().load(in + j + k * lanes)...);
    }
    HWY_UNROLL(4)
    for (int64_t k = 0; k < Side; ++k) {
      Whole().store(out + j + k * lanes, y[k]);
    }
  }
  if constexpr (!is_short<Length>) {
    for (; j + lanes <= n; j += lanes) {
      Whole().store(out + j, f(Whole().load(in + j)...));
    }
    if (j < n) {
      const Part part{n - j};
      part.store(out + j, f(part.load(in + j)...));
    }
  }
}

/// Adds `Side` vectors of sums, in order.
template <int64_t Side>
HWY_INLINE double joined(const Floats* side) {
  Floats all = side[0];
  for (int64_t k = 1; k < Side; ++k) {
    all = hn::Add(all, side[k]);
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Wide(), all)));
}

/// K sums over a row of n: body(at, j, sums) adds to each of K vectors, and nothing from lanes
/// beyond a part. The order of adding depends on n only.
template <int64_t K, class Length, class Body>
HWY_INLINE std::array<double, K> sums(Length n, const Body& body) {
  std::array<double, K> total{};
  for (int64_t begin = 0, end = 0; begin < n; begin = end) {
    end = is_short<Length> ? int64_t{n} : HWY_MIN(int64_t{n}, begin + block_of_sum);
    Floats side[K][abreast];
    for (int64_t i = 0; i < K * abreast; ++i) {
      side[i / abreast][i % abreast] = hn::Zero(Wide());
    }
    const auto add = [&](auto at, int64_t j, int64_t k) HWY_ATTR {
      Floats own[K];
      for (int64_t i = 0; i < K; ++i) {
        own[i] = side[i][k];
      }
      body(at, j, own);
      for (int64_t i = 0; i < K; ++i) {
        side[i][k] = own[i];
      }
    };
    int64_t j = begin;
    for (; j + abreast * lanes <= end; j += abreast * lanes) {
      HWY_UNROLL(4)
      for (int64_t k = 0; k < abreast; ++k) {
        add(Whole(), j + k * lanes, k);
      }
    }
    if constexpr (!is_short<Length>) {
      for (; j + lanes <= end; j += lanes) {
        add(Whole(), j, 0);
      }
      if (j < end) {
        add(Part{end - j}, j, 0);
      }
    }
    for (int64_t i = 0; i < K; ++i) {
      total[static_cast<size_t>(i)] += joined<abreast>(side[i]);
    }
  }
  return total;
}

/// y_j ← f(x_j) and Σ_j y_j; f of `rest` is 0. `InTurn`: zeros behind a row do not change its sum,
/// because the vectors of its end are added in turn as all others are.
template <bool InTurn = false, class Length, class F>
HWY_INLINE double transform_and_sum(float* y, const float* x, Length n, float rest, const F& f) {
  double total = 0;
  for (int64_t begin = 0, end = 0; begin < n; begin = end) {
    end = is_short<Length> ? int64_t{n} : HWY_MIN(int64_t{n}, begin + block_of_sum);
    Floats side[2] = {hn::Zero(Wide()), hn::Zero(Wide())};  // f needs the other registers
    int64_t j = begin;
    for (; j + abreast * lanes <= end; j += abreast * lanes) {
      Floats value[abreast];
      HWY_UNROLL(4)
      for (int64_t k = 0; k < abreast; ++k) {
        value[k] = f(Whole().load(x + j + k * lanes));
      }
      HWY_UNROLL(4)
      for (int64_t k = 0; k < abreast; ++k) {
        side[k % 2] = hn::Add(side[k % 2], value[k]);
        Whole().store(y + j + k * lanes, value[k]);
      }
    }
    const auto finish = [&](auto at) HWY_ATTR {
      const Floats value = f(at.load(x + j, rest));
      if (InTurn && (j - begin) / lanes % 2 == 1) {
        side[1] = hn::Add(side[1], value);
      } else {
        side[0] = hn::Add(side[0], value);
      }
      at.store(y + j, value);
    };
    if constexpr (!is_short<Length>) {
      for (; j + lanes <= end; j += lanes) {
        finish(Whole());
      }
      if (j < end) {
        finish(Part{end - j});
      }
    }
    total += joined<2>(side);
  }
  return total;
}

/// The largest element of a row. Some targets ignore NaN here; the sum of the row still contains
/// it.
template <class Length>
HWY_INLINE float row_max(const float* x, Length n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  Floats most[abreast];
  for (int64_t k = 0; k < abreast; ++k) {
    most[k] = spread(lowest);
  }
  int64_t j = 0;
  for (; j + abreast * lanes <= n; j += abreast * lanes) {
    HWY_UNROLL(4)
    for (int64_t k = 0; k < abreast; ++k) {
      most[k] = hn::Max(most[k], Whole().load(x + j + k * lanes));
    }
  }
  if constexpr (!is_short<Length>) {
    for (; j + lanes <= n; j += lanes) {
      most[0] = hn::Max(most[0], Whole().load(x + j));
    }
    if (j < n) {
      most[0] = hn::Max(most[0], Part{n - j}.load(x + j, lowest));
    }
  }
  for (int64_t k = 1; k < abreast; ++k) {
    most[0] = hn::Max(most[0], most[k]);
  }
  return hn::GetLane(hn::MaxOfLanes(Wide(), most[0]));
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
