// Products with few rows, in three ways.
//
//   dots:    if b's columns are dense: 4 × 4 results at a time, each a dot product in lanes
//   rows:    if b's rows are dense: they are read four at a time and added to sums in the cache
//   panels:  otherwise, and for small matrices: b is copied into panels of 16 columns, and 4 × 16
//            results at a time stay in registers
//
// On a Neoverse-N1 core (at most about 40 GFLOP/s) dots reach 30, rows 20 to 24 and panels 19 to
// 26.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gemm/multiply_few_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "heed/backend/cpu/gemm/dots-inl.h"
#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/scratch_buffer.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {
constexpr int64_t panel_width = 16;
constexpr int vectors = panel_width / lanes;
constexpr int tall = vectors == 1 ? 8 : 4;  // rows, so that there are at least eight sums at once

/// Writes a whole vector, lane by lane only if the result's columns are not dense.
HWY_INLINE void put_vector(const Product& p, int64_t i, int64_t j, Floats sum) {
  if (p.out_column != 1) {
    HWY_ALIGN float lane[lanes];
    hn::Store(sum, Wide(), lane);
    for (int64_t n = 0; n < lanes; ++n) {
      put(p, i, j + n, lane[n]);
    }
    return;
  }
  float* to = p.out + i * p.out_row + j;
  const Floats own = hn::Mul(spread(p.alpha), sum);
  store(to, p.beta == 0 ? own : hn::MulAdd(spread(p.beta), load(to), own));
}

/// R rows × one panel, at row i and column j of the result.
template <int R>
void outer_tile(const Product& p, int64_t i, int64_t j, const float* panel) {
  Floats sum[R][vectors];
  for (int n = 0; n < R * vectors; ++n) {
    sum[n / vectors][n % vectors] = hn::Zero(Wide());
  }
  const Matrix a = p.a.at(i, 0);
  for (int64_t k = 0; k < p.k; ++k, panel += panel_width) {
    Floats x[vectors];
    HWY_UNROLL(8)
    for (int v = 0; v < vectors; ++v) {
      x[v] = load(panel + v * lanes);
    }
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) {
      const Floats y = spread(a.data[r * a.row + k * a.column]);
      HWY_UNROLL(8)
      for (int v = 0; v < vectors; ++v) {
        sum[r][v] = hn::MulAdd(y, x[v], sum[r][v]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < R; ++r) {
    HWY_UNROLL(8)
    for (int v = 0; v < vectors; ++v) {
      put_vector(p, i + r, j + v * lanes, sum[r][v]);
    }
  }
}

/// Rows from i on, R at a time, then R/2, …, then one by one.
template <int R = tall>
void outer_columns(const Product& p, int64_t i, int64_t j, const float* panel) {
  for (; i + R <= p.m; i += R) {
    outer_tile<R>(p, i, j, panel);
  }
  if constexpr (R > 1) {
    outer_columns<R / 2>(p, i, j, panel);
  }
}

constexpr int64_t long_row = 32;      // panels are faster for shorter rows
constexpr int64_t block_width = 512;  // the sums of a few rows then fit the first-level cache
constexpr int64_t sum_stride = block_width + 16;  // spreads the sums over the cache's sets

/// sum[r, j] += Σ_s a[r, s] b[s, j] for four dense rows s of b.
template <int R>
void add_four_rows(float* sum, const Matrix& a, const Matrix& b, int64_t width) {
  Floats y[R][4];
  HWY_UNROLL(8)
  for (int r = 0; r < R; ++r) {
    HWY_UNROLL(8)
    for (int s = 0; s < 4; ++s) {
      y[r][s] = spread(a.data[r * a.row + s * a.column]);
    }
  }
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    Floats x[4];
    HWY_UNROLL(8)
    for (int s = 0; s < 4; ++s) {
      x[s] = load(b.data + s * b.row + j);
      __builtin_prefetch(b.data + (s + 4) * b.row + j);
    }
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) {
      float* to = sum + r * sum_stride + j;
      Floats total = load(to);
      HWY_UNROLL(8)
      for (int s = 0; s < 4; ++s) {
        total = hn::MulAdd(y[r][s], x[s], total);
      }
      store(to, total);
    }
  }
  for (; j < width; ++j) {
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) {
      HWY_UNROLL(8)
      for (int s = 0; s < 4; ++s) {
        sum[r * sum_stride + j] += a.data[r * a.row + s * a.column] * b.data[s * b.row + j];
      }
    }
  }
}

void add_four_rows(float* sum, int64_t rows, const Matrix& a, const Matrix& b, int64_t width) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    add_four_rows<4>(sum + i * sum_stride, a.at(i, 0), b, width);
  }
  switch (rows - i) {
    case 3:
      return add_four_rows<3>(sum + i * sum_stride, a.at(i, 0), b, width);
    case 2:
      return add_four_rows<2>(sum + i * sum_stride, a.at(i, 0), b, width);
    case 1:
      return add_four_rows<1>(sum + i * sum_stride, a.at(i, 0), b, width);
    default:
      return;
  }
}

void add_row(float* sum, int64_t rows, const Matrix& a, const Matrix& b, int64_t width) {
  for (int64_t i = 0; i < rows; ++i) {
    const float y = a.data[i * a.row];
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      sum[i * sum_stride + j] += y * b.data[j];
    }
  }
}

/// For dense rows of b: they are read four at a time and added to sums that stay in the cache.
void multiply_by_rows(const Product& p) {
  thread_local ScratchBuffer sums;
  auto* sum = sums.of<float>(p.m * sum_stride);
  for (int64_t j = 0; j < p.n; j += block_width) {
    const int64_t width = std::min(block_width, p.n - j);
    for (int64_t i = 0; i < p.m; ++i) {
      std::fill_n(sum + i * sum_stride, width, 0.0F);
    }
    int64_t k = 0;
    for (; k + 4 <= p.k; k += 4) {
      add_four_rows(sum, p.m, p.a.at(0, k), p.b.at(k, j), width);
    }
    for (; k < p.k; ++k) {
      add_row(sum, p.m, p.a.at(0, k), p.b.at(k, j), width);
    }
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t c = 0; c < width; ++c) {
        put(p, i, j + c, sum[i * sum_stride + c]);
      }
    }
  }
}

void multiply_by_panels(const Product& p) {
  thread_local ScratchBuffer buffer;
  auto* panel = buffer.of<float>((p.k + p.m) * panel_width);
  for (int64_t j = 0; j < p.n; j += panel_width) {
    const int64_t width = std::min(panel_width, p.n - j);
    interleave({p.b.at(0, j).flipped(), width, p.k, p.k, panel_width, 1}, panel);
    if (width == panel_width) {
      outer_columns(p, 0, j, panel);
      continue;
    }
    // For the last columns whole tiles are computed in scratch memory, and what exists is copied.
    Product last = p;
    last.out = panel + p.k * panel_width;
    last.out_row = panel_width;
    last.out_column = 1;
    last.alpha = 1;
    last.beta = 0;
    outer_columns(last, 0, 0, panel);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t c = 0; j + c < p.n; ++c) {
        put(p, i, j + c, last.out[i * panel_width + c]);
      }
    }
  }
}

constexpr int64_t long_dot = 96;  // shorter ones lose too much time in adding their lanes

void multiply_by_dots(const Product& product) {
  Product p = product;
  if (p.a.column != 1) {
    thread_local ScratchBuffer buffer;
    auto* rows = buffer.of<float>(p.m * p.k);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t k = 0; k < p.k; ++k) {
        rows[i * p.k + k] = p.a.data[i * p.a.row + k * p.a.column];
      }
    }
    p.a = {rows, p.k, 1};
  }
  dots(p);
}

}  // namespace

void few_rows_product(const Product& p) {
  if (p.b.row == 1 && (p.k >= long_dot || p.m <= 4)) {
    multiply_by_dots(p);
  } else if (p.b.column == 1 && (p.n >= long_row || p.m <= 4)) {
    multiply_by_rows(p);
  } else {
    multiply_by_panels(p);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(few_rows_product);

void multiply_few_rows(const Product& product) { HWY_DYNAMIC_DISPATCH(few_rows_product)(product); }

}  // namespace heed::cpu
#endif
