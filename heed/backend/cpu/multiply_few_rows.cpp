// Products with few rows, tile by tile in registers.
//
//   b's rows lie dense:     4 rows × 16 columns of results, one row of b after the other
//   b's columns lie dense:  2 rows × 4 columns of results, each a dot product of four lanes
//
// With more than four rows, b is first brought into panels of 16 columns: its lines are then read
// once from where they lie, and again only from the first-level cache.
#include <algorithm>
#include <array>
#include <vector>

#include "heed/backend/cpu/lanes.h"
#include "heed/backend/cpu/product.h"

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

/// One column of the result.
void column(const Product& p, int64_t j, const Matrix& b) {
  for (int64_t i = 0; i < p.m; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      sum += p.a.data[i * p.a.row + k * p.a.column] * b.data[k * b.row];
    }
    put(p, i, j, sum);
  }
}

constexpr int64_t panel_width = 16;

/// b's rows lie dense and there are at most four rows of a: b is read where it lies.
void multiply_by_rows(const Product& p) {
  int64_t j = 0;
  for (; p.m == 1 && j + 4 * panel_width <= p.n; j += 4 * panel_width) {
    outer_tile<1, 16>(p, 0, j, p.b.at(0, j));
  }
  for (; j + panel_width <= p.n; j += panel_width) {
    outer_columns<4>(p, j, p.b.at(0, j));
  }
  for (; j + lane_count <= p.n; j += lane_count) {
    outer_columns<1>(p, j, p.b.at(0, j));
  }
  for (; j < p.n; ++j) {
    column(p, j, p.b.at(0, j));
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

/// R rows × C columns of dot products; rows of a and columns of b lie dense.
template <int R, int C>
void dot_tile(const Product& p, int64_t i, int64_t j) {
  std::array<std::array<Vector, C>, R> sum{};
  const Matrix a = p.a.at(i, 0);
  const Matrix b = p.b.at(0, j);
  int64_t k = 0;
  for (; k + lane_count <= p.k; k += lane_count) {
    for (int c = 0; c < C; ++c) {
      const Vector y = load(b.data + c * b.column + k);
      for (int r = 0; r < R; ++r) {
        sum[r][c] += load(a.data + r * a.row + k) * y;
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      const Vector& lanes = sum[r][c];
      float total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
      for (int64_t rest = k; rest < p.k; ++rest) {
        total += a.data[r * a.row + rest] * b.data[c * b.column + rest];
      }
      put(p, i + r, j + c, total);
    }
  }
}

void multiply_by_dots(const Product& p) {
  int64_t j = 0;
  for (; j + 4 <= p.n; j += 4) {
    int64_t i = 0;
    for (; i + 2 <= p.m; i += 2) {
      dot_tile<2, 4>(p, i, j);
    }
    if (i < p.m) {
      dot_tile<1, 4>(p, i, j);
    }
  }
  for (; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m; ++i) {
      dot_tile<1, 1>(p, i, j);
    }
  }
}

}  // namespace

void multiply_few_rows(const Product& product) {
  if (product.b.row == 1 && product.a.column == 1 && product.m <= 4) {
    multiply_by_dots(product);
  } else if (product.b.column == 1 && product.m <= 4) {
    multiply_by_rows(product);
  } else {
    multiply_by_panels(product);
  }
}

}  // namespace heed::cpu
