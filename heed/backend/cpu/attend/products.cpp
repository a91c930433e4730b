// Register tiles: R rows × N vectors of sums stay in registers during the loop over k. Where
// multiplying by one lane is free (Arm), four of a's elements are loaded at once; elsewhere each is
// broadcast from memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/products.cpp"
#include "heed/backend/cpu/attend/products.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include <utility>

#include "heed/backend/cpu/attend/tile_arm.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/reduce_lanes-inl.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

using One = hn::CappedTag<float, 1>;

/// 32 vector registers hold 16 sums and their operands; 16 registers hold 8.
constexpr bool has_many_registers = HWY_ARCH_ARM != 0 || HWY_TARGET <= HWY_AVX3;
constexpr int most_sums = has_many_registers ? 16 : 8;
constexpr int tall = has_many_registers ? 8 : 4;

template <class D>
constexpr bool multiplies_by_lane = HWY_ARCH_ARM != 0 && hn::MaxLanes(D()) == 4;

struct Sides {
  int64_t rows;
  int64_t columns;
};

/// Calls f(0), f(1), … with compile-time constants.
template <int N, class F>
HWY_INLINE void unrolled(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) HWY_ATTR {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

template <class D, int R, int N>
struct Sums {
  using V = hn::Vec<D>;
  V sum[R][N];

  HWY_INLINE Sums() {}  // explicit, so that it is compiled for the target
  // Strides are passed by value: through a reference they would be read again after every store.
  HWY_INLINE void begin(TileRows c, bool adds) {
    for (int r = 0; r < R; ++r) {
      for (int n = 0; n < N; ++n) {
        sum[r][n] = adds ? hn::LoadU(D(), c[r] + n * lanes()) : hn::Zero(D());
      }
    }
  }
  HWY_INLINE void end(TileRows c) const {
    for (int r = 0; r < R; ++r) {
      for (int n = 0; n < N; ++n) {
        hn::StoreU(sum[r][n], D(), c[r] + n * lanes());
      }
    }
  }
  /// sum[r] += y · b for one row of b.
  HWY_INLINE void add(V (&b)[N], int r, V y) {
    for (int n = 0; n < N; ++n) {
      sum[r][n] = hn::MulAdd(y, b[n], sum[r][n]);
    }
  }
  static HWY_INLINE void load(V (&b)[N], const float* from) {
    for (int n = 0; n < N; ++n) {
      b[n] = hn::LoadU(D(), from + n * lanes());
    }
  }
  static HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(D())); }
};

/// c[i…, j…] of c ← a b, from `k` on.
template <class D, int R, int N>
HWY_INLINE void tile_of_rows(const TileProduct& p, int64_t i, int64_t j, int64_t k, bool adds) {
  const D d;
  using V = hn::Vec<D>;
  Sums<D, R, N> sums;
  const TileRows c{p.c[i] + j, p.c.stride};
  sums.begin(c, adds);
  const float* a = p.a[i];
  const float* b = p.b[k] + j;
  const int64_t a_stride = p.a.stride;
  const int64_t b_stride = p.b.stride;
  const int64_t depth = p.k;
  V y[N];
  if constexpr (multiplies_by_lane<D>) {
    for (; k + 4 <= depth; k += 4) {
      V x[R];
      for (int r = 0; r < R; ++r) {
        x[r] = hn::LoadU(d, a + r * a_stride + k);
      }
      unrolled<4>([&](auto lane) HWY_ATTR {
        sums.load(y, b);
        for (int r = 0; r < R; ++r) {
          sums.add(y, r, hn::Broadcast<decltype(lane)::value>(x[r]));
        }
        b += b_stride;
      });
    }
  }
  for (; k < depth; ++k, b += b_stride) {
    sums.load(y, b);
    for (int r = 0; r < R; ++r) {
      sums.add(y, r, hn::Set(d, a[r * a_stride + k]));
    }
  }
  sums.end(c);
}

/// c[i…, j…] of c ← aᵀ b.
template <class D, int R, int N>
HWY_INLINE void tile_of_columns(const TileProduct& p, int64_t i, int64_t j) {
  const D d;
  using V = hn::Vec<D>;
  Sums<D, R, N> sums;
  const TileRows c{p.c[i] + j, p.c.stride};
  sums.begin(c, p.adds);
  const float* a = p.a.data + i;
  const float* b = p.b.data + j;
  const int64_t a_stride = p.a.stride;
  const int64_t b_stride = p.b.stride;
  const int64_t depth = p.k;
  V y[N];
  for (int64_t k = 0; k < depth; ++k, a += a_stride, b += b_stride) {
    sums.load(y, b);
    if constexpr (multiplies_by_lane<D> && R % 4 == 0) {
      V x[R / 4];
      for (int r = 0; r < R / 4; ++r) {
        x[r] = hn::LoadU(d, a + 4 * r);
      }
      unrolled<R>([&](auto r) HWY_ATTR {
        constexpr int row = decltype(r)::value;
        sums.add(y, row, hn::Broadcast<row % 4>(x[row / 4]));
      });
    } else {
      for (int r = 0; r < R; ++r) {
        sums.add(y, r, hn::Set(d, a[r]));
      }
    }
  }
  sums.end(c);
}

template <class D, int R, int N>
constexpr bool is_assembled = has_assembly&& hn::MaxLanes(D()) == 4 && R == 8 && N == 2;

HWY_INLINE ArmTile arm_tile(const TileProduct& p, const float* a, int64_t i, int64_t j, int64_t k) {
  constexpr auto size = static_cast<int64_t>(sizeof(float));
  return {a, p.a.stride * size, p.b.data + j, p.b.stride * size, p.c[i] + j, p.c.stride * size,
          k, p.adds ? 1 : 0};
}

struct OfRows {
  template <class D, int R, int N>
  static HWY_INLINE void tile(const TileProduct& p, int64_t i, int64_t j) {
    const int64_t whole = p.k / 4 * 4;
    if constexpr (is_assembled<D, R, N>) {
      if (whole > 0) {
        arm_rows(arm_tile(p, p.a[i], i, j, whole));
        if (whole < p.k) {
          tile_of_rows<D, R, N>(p, i, j, whole, true);
        }
        return;
      }
    }
    tile_of_rows<D, R, N>(p, i, j, 0, p.adds);
  }
};
struct OfColumns {
  template <class D, int R, int N>
  static HWY_INLINE void tile(const TileProduct& p, int64_t i, int64_t j) {
    if constexpr (is_assembled<D, R, N>) {
      if (p.k > 0) {
        return arm_columns(arm_tile(p, p.a.data + i, i, j, p.k));
      }
    }
    tile_of_columns<D, R, N>(p, i, j);
  }
};

/// Columns from j on, N vectors at a time, then N/2, …, then vectors half as wide, …, then one by
/// one.
template <class Kind, class D, int R, int N>
void across(const TileProduct& p, int64_t i, int64_t j) {
  constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(D()));
  for (; j + N * lanes <= p.n; j += N * lanes) {
    Kind::template tile<D, R, N>(p, i, j);
  }
  if constexpr (N > 1) {
    across<Kind, D, R, N / 2>(p, i, j);
  } else if constexpr (lanes > 4) {
    across<Kind, hn::Half<D>, R, 1>(p, i, j);
  } else {
    for (; j < p.n; ++j) {
      Kind::template tile<One, R, 1>(p, i, j);
    }
  }
}

/// Rows from i on, R at a time, then R/2, …, then one by one.
template <class Kind, int R>
void down(const TileProduct& p, int64_t i) {
  constexpr int vectors = most_sums / R < 8 ? most_sums / R : 8;
  for (; i + R <= p.m; i += R) {
    across<Kind, Wide, R, vectors>(p, i, 0);
  }
  if constexpr (R > 1) {
    if (i < p.m) {
      down<Kind, R / 2>(p, i);
    }
  }
}

void rows_product(const TileProduct& p) { down<OfRows, tall>(p, 0); }
void columns_product(const TileProduct& p) { down<OfColumns, tall>(p, 0); }

/// c[i…, j…] of c ← a bᵀ: R × 4 G results at a time, with lanes along k.
template <int R, int G>
HWY_INLINE void tile_of_dots(const TileProduct& p, int64_t i, int64_t j) {
  const Wide d;
  using V = hn::Vec<Wide>;
  constexpr int columns = 4 * G;
  V sum[R * columns];
  const bool adds = p.adds;
  const int64_t width = p.k;
  unrolled<R * columns>([&](auto at) HWY_ATTR { sum[decltype(at)::value] = hn::Zero(d); });
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const TileRows c{p.c[i] + j, p.c.stride};
  const float* a = p.a[i];
  const float* b = p.b[j];
  const int64_t a_stride = p.a.stride;
  const int64_t b_stride = p.b.stride;
  int64_t k = 0;
  for (; k + lanes <= width; k += lanes) {
    V x[R];
    unrolled<R>([&](auto r) HWY_ATTR {
      x[decltype(r)::value] = hn::LoadU(d, a + decltype(r)::value * a_stride + k);
    });
    unrolled<columns>([&](auto s) HWY_ATTR {
      const V y = hn::LoadU(d, b + decltype(s)::value * b_stride + k);
      unrolled<R>([&](auto r) HWY_ATTR {
        constexpr int at = decltype(r)::value * columns + decltype(s)::value;
        sum[at] = hn::MulAdd(x[decltype(r)::value], y, sum[at]);
      });
    });
  }
  unrolled<R * G>([&](auto at) HWY_ATTR {
    constexpr int first = decltype(at)::value * 4;
    constexpr int row = first / columns;
    constexpr int column = first % columns;
    float* to = c[row] + column;
    const auto whole =
        reduce_lanes(d, Plus(), sum[first], sum[first + 1], sum[first + 2], sum[first + 3]);
    hn::StoreU(adds ? hn::Add(hn::LoadU(Four(), to), whole) : whole, Four(), to);
    for (int s = 0; k < width && s < 4; ++s) {
      for (int64_t rest = k; rest < width; ++rest) {
        to[s] += a[row * a_stride + rest] * b[(column + s) * b_stride + rest];
      }
    }
  });
}

/// Adds its lanes as tile_of_dots does: which of the two computes a slot depends on how many slots
/// there are, and must not change its bits.
HWY_INLINE void one_dot(const TileProduct& p, int64_t i, int64_t j) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t k = 0;
  for (; k + lanes <= p.k; k += lanes) {
    sum = hn::MulAdd(hn::LoadU(d, p.a[i] + k), hn::LoadU(d, p.b[j] + k), sum);
  }
  float total =
      hn::GetLane(reduce_lanes(d, Plus(), sum, sum, sum, sum)) + (p.adds ? p.c[i][j] : 0.0F);
  for (; k < p.k; ++k) {
    total += p.a[i][k] * p.b[j][k];
  }
  p.c[i][j] = total;
}

template <int R>
void dots_across(const TileProduct& p, int64_t i) {
  constexpr int groups = most_sums / (4 * R) > 0 ? most_sums / (4 * R) : 1;
  int64_t j = 0;
  if constexpr (R < 4) {
    for (; j + 4 * groups <= p.n; j += 4 * groups) {
      tile_of_dots<R, groups>(p, i, j);
    }
  }
  for (; j + 4 <= p.n; j += 4) {
    tile_of_dots<R, 1>(p, i, j);
  }
  for (; j < p.n; ++j) {
    for (int r = 0; r < R; ++r) {
      one_dot(p, i + r, j);
    }
  }
}

void dots_product(const TileProduct& p) {
  constexpr int most_rows = has_many_registers ? 4 : 2;
  int64_t i = 0;
  for (; i + most_rows <= p.m; i += most_rows) {
    dots_across<most_rows>(p, i);
  }
  for (; i < p.m; ++i) {
    dots_across<1>(p, i);
  }
}

/// Transposes rows from i on, as many as a register has lanes at a time, then half as many, …, down
/// to four, without their last few columns; returns the first row that is left.
template <class D>
HWY_INLINE int64_t turn_from(D d, TileRows to, TileRows from, int64_t i, Sides sides) {
  constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(d));
  for (; i + lanes <= sides.rows; i += lanes) {
    for (int64_t j = 0; j + 4 <= sides.columns; j += 4) {
      turn_four_columns(d, from[i] + j, from.stride, to[j] + i, to.stride);
    }
  }
  if constexpr (lanes > 4) {
    i = turn_from(hn::Half<D>(), to, from, i, sides);
  }
  return i;
}

void transpose_tile(TileRows to, TileRows from, int64_t rows, int64_t columns) {
  const int64_t whole_rows = turn_from(Wide(), to, from, 0, {rows, columns});
  const int64_t whole_columns = columns / 4 * 4;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      to[j][i] = from[i][j];
    }
  }
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(rows_product);
HWY_EXPORT(columns_product);
HWY_EXPORT(dots_product);
HWY_EXPORT(transpose_tile);

namespace {

/// With few rows memory is the limit, so the next rows of b are prefetched. With several rows that
/// helps only if b is large.
bool is_streamed(const TileProduct& p, int64_t few) {
  constexpr int64_t large = 1 << 13;
  return p.m <= (p.k * p.n < large ? 1 : few) && p.k > 0 && p.n > 0;
}

void stream(const TileProduct& p, const Matrix& b) {
  Product product{p.m, p.n, p.k, {p.a.data, p.a.stride, 1}, b, p.c.data, p.c.stride, 1};
  product.beta = p.adds ? 1.0F : 0.0F;
  multiply_few_rows(product);
}

}  // namespace

void multiply_rows(const TileProduct& product) {
  if (is_streamed(product, 4)) {
    return stream(product, {product.b.data, product.b.stride, 1});
  }
  HWY_DYNAMIC_DISPATCH(rows_product)(product);
}
void multiply_columns(const TileProduct& product) {
  HWY_DYNAMIC_DISPATCH(columns_product)(product);
}
void multiply_dots(const TileProduct& product) {
  if (is_streamed(product, 1)) {
    return stream(product, {product.b.data, 1, product.b.stride});
  }
  HWY_DYNAMIC_DISPATCH(dots_product)(product);
}
void transpose(TileRows to, TileRows from, int64_t rows, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(transpose_tile)(to, from, rows, columns);
}
}  // namespace heed::cpu
#endif
