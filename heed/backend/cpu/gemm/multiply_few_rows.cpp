// Products with few rows, three ways.
//
//   dots:    b's columns lie dense: 4 × 4 results at a time, each a dot product in lanes
//   rows:    b's rows lie dense: they stream by, four at a time, into sums that stay in the cache
//   panels:  else, and for small matrices: b is brought into panels of 16 columns, and 4 × 16
//            results at a time stay in registers
//
// On a Neoverse-N1 core (about 40 GFLOP/s at most) dots reach 30, rows 20 to 24 and panels 19 to
// 26.
#include <algorithm>
#include <array>
#include <vector>

#include "heed/backend/cpu/gemm/dots.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/lanes.h"

namespace heed::cpu {
namespace {

using Vector = Lanes<float>;

void put(const Product& p, int64_t i, int64_t j, float sum) {
  float& to = p.out[i * p.out_row + j * p.out_column];
  to = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * to;
}

/// R rows × 4·V columns, at row i and column j of the result; `b` starts at that column.
template <int R, int V>
void outer_tile(const Product& p, int64_t i, int64_t j, const Matrix& b) {
  std::array<std::array<Vector, V>, R> sum{};
  const Matrix a = p.a.at(i, 0);
  const float* from = b.data;
  for (int64_t k = 0; k < p.k; ++k, from += b.row) {
    std::array<Vector, V> x;
    for (int v = 0; v < V; ++v) {
      x[v] = load(from + v * lane_count);
    }
    for (int r = 0; r < R; ++r) {
      const Vector y = spread(a.data[r * a.row + k * a.column]);
      for (int v = 0; v < V; ++v) {
        sum[r][v] += y * x[v];
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      for (int64_t lane = 0; lane < lane_count; ++lane) {
        put(p, i + r, j + v * lane_count + lane, sum[r][v][lane]);
      }
    }
  }
}

/// All rows of the result, `4 V` columns from j on.
template <int V>
void outer_columns(const Product& p, int64_t j, const Matrix& b) {
  int64_t i = 0;
  for (; i + 4 <= p.m; i += 4) {
    outer_tile<4, V>(p, i, j, b);
  }
  switch (p.m - i) {
    case 3:
      return outer_tile<3, V>(p, i, j, b);
    case 2:
      return outer_tile<2, V>(p, i, j, b);
    case 1:
      return outer_tile<1, V>(p, i, j, b);
    default:
      return;
  }
}

constexpr int64_t panel_width = 16;

constexpr int64_t long_row = 128;     // shorter ones are better off in panels
constexpr int64_t block_width = 512;  // columns: the sums of a few rows fit the first-level cache

/// sum[r, j] += Σ_s a[r, s] b[s, j] for four rows s of b, which lie dense.
template <int R>
void add_four_rows(float* sum, const Matrix& a, const Matrix& b, int64_t width) {
  std::array<std::array<Vector, 4>, R> y;
  for (int r = 0; r < R; ++r) {
    for (int s = 0; s < 4; ++s) {
      y[r][s] = spread(a.data[r * a.row + s * a.column]);
    }
  }
  int64_t j = 0;
  for (; j + lane_count <= width; j += lane_count) {
    std::array<Vector, 4> x;
    for (int s = 0; s < 4; ++s) {
      x[s] = load(b.data + s * b.row + j);
      __builtin_prefetch(b.data + (s + 4) * b.row + j);
    }
    for (int r = 0; r < R; ++r) {
      float* to = sum + r * block_width + j;
      Vector total = load(to);
      for (int s = 0; s < 4; ++s) {
        total += y[r][s] * x[s];
      }
      store(to, total);
    }
  }
  for (; j < width; ++j) {
    for (int r = 0; r < R; ++r) {
      for (int s = 0; s < 4; ++s) {
        sum[r * block_width + j] += y[r][s][0] * b.data[s * b.row + j];
      }
    }
  }
}

void add_four_rows(float* sum, int64_t rows, const Matrix& a, const Matrix& b, int64_t width) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    add_four_rows<4>(sum + i * block_width, a.at(i, 0), b, width);
  }
  switch (rows - i) {
    case 3:
      return add_four_rows<3>(sum + i * block_width, a.at(i, 0), b, width);
    case 2:
      return add_four_rows<2>(sum + i * block_width, a.at(i, 0), b, width);
    case 1:
      return add_four_rows<1>(sum + i * block_width, a.at(i, 0), b, width);
    default:
      return;
  }
}

void add_row(float* sum, int64_t rows, const Matrix& a, const Matrix& b, int64_t width) {
  for (int64_t i = 0; i < rows; ++i) {
    const float y = a.data[i * a.row];
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      sum[i * block_width + j] += y * b.data[j];
    }
  }
}

/// b's rows lie dense: they stream by, four at a time, into sums that stay in the cache.
void multiply_by_rows(const Product& p) {
  thread_local std::vector<float> sums;
  sums.resize(std::max(sums.size(), static_cast<size_t>(p.m * block_width)));
  float* sum = sums.data();
  for (int64_t j = 0; j < p.n; j += block_width) {
    const int64_t width = std::min(block_width, p.n - j);
    for (int64_t i = 0; i < p.m; ++i) {
      std::fill_n(sum + i * block_width, width, 0.0F);
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
        put(p, i, j + c, sum[i * block_width + c]);
      }
    }
  }
}

/// Up to 16 columns of b from j on, row by row, the rest of each row zero.
void pack_panel(const Product& p, int64_t j, float* panel) {
  const int64_t width = std::min(panel_width, p.n - j);
  const Matrix b = p.b.at(0, j);
  if (b.column != 1 || width < panel_width) {
    std::fill_n(panel, p.k * panel_width, 0.0F);
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t k = 0; k < p.k; ++k) {
        panel[k * panel_width + c] = b.data[k * b.row + c * b.column];
      }
    }
    return;
  }
  for (int64_t k = 0; k < p.k; ++k) {
    std::copy_n(b.data + k * b.row, panel_width, panel + k * panel_width);
  }
}

void multiply_by_panels(const Product& p) {
  thread_local std::vector<float> storage;
  storage.resize(std::max(storage.size(), static_cast<size_t>((p.k + p.m) * panel_width)));
  const Matrix panel{storage.data(), panel_width, 1};
  for (int64_t j = 0; j < p.n; j += panel_width) {
    pack_panel(p, j, storage.data());
    if (j + panel_width <= p.n) {
      outer_columns<4>(p, j, panel);
      continue;
    }
    // The last columns: whole tiles into scratch, of which what exists is taken.
    Product last = p;
    last.out = storage.data() + p.k * panel_width;
    last.out_row = panel_width;
    last.out_column = 1;
    last.alpha = 1;
    last.beta = 0;
    outer_columns<4>(last, 0, panel);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t c = 0; j + c < p.n; ++c) {
        put(p, i, j + c, last.out[i * panel_width + c]);
      }
    }
  }
}

constexpr int64_t long_dot = 96;  // shorter ones lose too much in adding up their lanes

void dots_plain(const Product& p) { Dots<16>::run(p); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void dots_avx2(const Product& p) { Dots<32>::run(p); }
[[gnu::target("avx512f")]] void dots_avx512(const Product& p) { Dots<64>::run(p); }

auto fastest_dots() {
  return __builtin_cpu_supports("avx512f") != 0                                      ? dots_avx512
         : __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? dots_avx2
                                                                                     : dots_plain;
}
#else
auto fastest_dots() { return dots_plain; }
#endif

void multiply_by_dots(const Product& product) {
  Product p = product;
  thread_local std::vector<float> rows;
  if (p.a.column != 1) {
    rows.resize(std::max(rows.size(), static_cast<size_t>(p.m * p.k)));
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t k = 0; k < p.k; ++k) {
        rows[static_cast<size_t>(i * p.k + k)] = p.a.data[i * p.a.row + k * p.a.column];
      }
    }
    p.a = {rows.data(), p.k, 1};
  }
  static const auto dots = fastest_dots();
  dots(p);
}

}  // namespace

void multiply_few_rows(const Product& product) {
  const Product& p = product;
  if (p.b.row == 1 && (p.k >= long_dot || p.m <= 4)) {
    multiply_by_dots(p);
  } else if (p.b.column == 1 && (p.n >= long_row || p.m <= 4)) {
    multiply_by_rows(p);
  } else {
    multiply_by_panels(p);
  }
}

}  // namespace heed::cpu
