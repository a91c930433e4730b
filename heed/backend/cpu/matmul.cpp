// out ← alpha a b + beta out for every matrix of the batch. The grid of tiles is a function of
// shape and strides only, so the bits do not depend on the threads.
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/product.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/verbs.h"

namespace heed::cpu {
namespace {

/// Up to these our own kernel is faster than BLIS: few rows (more where b's columns lie dense), or
/// little work.
constexpr int64_t few_rows = 32;
constexpr int64_t few_rows_of_dots = 64;
constexpr int64_t little_work = int64_t{64} * 64 * 64;
/// Multiply-adds that are worth a chunk.
constexpr int64_t work_a_chunk = 1 << 18;
/// A tile of BLIS is not made smaller than this either way.
constexpr int64_t smallest_side = 96;

struct Batch {
  Segments<3> offsets;  // of out, a and b
  Product product;      // the first matrix
};

View without_matrix(View view) {
  view.shape.erase(view.rank() - 1);
  view.shape.erase(view.rank() - 1);
  return view;
}

Batch batch_of(const View& out, const View& a, const View& b) {
  Batch batch;
  batch.offsets = segments_of<3>({without_matrix(out), without_matrix(a), without_matrix(b)});
  Product& p = batch.product;
  p.m = out.shape[-2];
  p.n = out.shape[-1];
  p.k = a.shape[-1];
  p.a = {a.as<float>(), a.stride(-2), a.stride(-1)};
  p.b = {b.as<float>(), b.stride(-2), b.stride(-1)};
  p.out = out.as<float>();
  p.out_row = out.stride(-2);
  p.out_column = out.stride(-1);
  return batch;
}

/// A batch that shares b, and whose rows lie one behind the other, is one taller matrix.
void stack_rows(Batch& batch) {
  Segments<3>& rows = batch.offsets;
  Product& p = batch.product;
  if (rows.outer.rank() != 0 || rows.length == 1 || rows.inner[2] != 0) {
    return;
  }
  if (p.m == 1) {
    p.out_row = rows.inner[0];
    p.a.row = rows.inner[1];
  } else if (rows.inner[0] != p.m * p.out_row || rows.inner[1] != p.m * p.a.row) {
    return;
  }
  p.m *= rows.length;
  rows.length = 1;
}

struct Grid {
  int64_t rows = 1;     // of a tile
  int64_t columns = 1;  // of a tile
  bool is_own = true;   // our kernel, else BLIS
};

Grid grid_of(const Product& p) {
  const int64_t few = p.b.row == 1 ? few_rows_of_dots : few_rows;
  Grid grid{p.m, p.n, p.m <= few || p.m * p.n * p.k <= little_work};
  const auto work = [&] { return grid.rows * grid.columns * p.k; };
  if (grid.is_own) {
    constexpr int64_t step = 64;
    const int64_t columns = work_a_chunk / std::max<int64_t>(1, p.m * p.k);
    grid.columns = std::min(p.n, std::max(step, columns / step * step));
    return grid;
  }
  while (work() > 8 * work_a_chunk && std::max(grid.rows, grid.columns) > smallest_side) {
    int64_t& side = grid.rows > grid.columns ? grid.rows : grid.columns;
    side = std::max(smallest_side, pieces_of(side, int64_t{2} * 48) * 48);
  }
  return grid;
}

/// How many tiles of `side` cover `length`; the last takes what would be less than half a tile.
int64_t tiles_along(int64_t length, int64_t side) {
  return std::max<int64_t>(1, (length + side / 2) / side);
}

void scale(const Product& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      float& to = p.out[i * p.out_row + j * p.out_column];
      to = p.beta == 0 ? 0 : p.beta * to;
    }
  }
}

void multiply(const Product& p, bool is_own) {
  if (p.k == 0) {
    scale(p);
  } else if (is_own) {
    multiply_few_rows(p);
  } else {
    multiply_blocked(p);
  }
}

}  // namespace

void matmul(const View& out, const View& a, const View& b, float alpha, float beta) {
  if (out.numel() == 0) {
    return;
  }
  Batch batch = batch_of(out, a, b);
  batch.product.alpha = alpha;
  batch.product.beta = beta;
  stack_rows(batch);
  const bool is_narrow = batch.product.n < batch.product.m && batch.product.n <= few_rows / 2;
  const Product whole = is_narrow ? batch.product.flipped() : batch.product;
  const Grid grid = grid_of(whole);
  const int64_t down = tiles_along(whole.m, grid.rows);
  const int64_t across = tiles_along(whole.n, grid.columns);
  const int64_t units = batch.offsets.count() * down * across;
  const int64_t work = std::max<int64_t>(1, grid.rows * grid.columns * whole.k);
  each_range(units, std::max<int64_t>(1, work_a_chunk / work), [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t i = unit / across % down * grid.rows;
      const int64_t j = unit % across * grid.columns;
      const bool last_row = unit / across % down == down - 1;
      const bool last_column = unit % across == across - 1;
      Product tile = whole.tile(i, last_row ? whole.m - i : grid.rows, j,
                                last_column ? whole.n - j : grid.columns);
      const int64_t matrix = unit / (down * across);
      each_segment(batch.offsets, matrix, matrix + 1, [&](const Offsets<3>& at, int64_t) {
        tile.out += at[0];
        tile.a.data += is_narrow ? at[2] : at[1];
        tile.b.data += is_narrow ? at[1] : at[2];
      });
      multiply(tile, grid.is_own);
    }
  });
}

}  // namespace heed::cpu
