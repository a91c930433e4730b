// out ← alpha a b + beta out for every matrix of the batch. The grid of tiles is a function of
// shape and strides only, so the bits do not depend on the threads.
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/gemm/tile.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/verbs.h"

namespace heed::cpu {
namespace {

/// Few rows are multiplied as they lie; packing their operands would cost more than it gains.
constexpr int64_t few_rows = 2;
/// More of them where b's columns lie dense: dot products gain nothing from packing.
constexpr int64_t few_rows_of_dots = 24;
/// On a CPU whose tiles are not ours BLIS takes what is more than this.
constexpr int64_t little_work = int64_t{64} * 64 * 64;
/// Multiply-adds that are worth a chunk.
constexpr int64_t work_a_chunk = 1 << 18;
/// A matrix with more of them is cut up itself; below, a thread takes whole matrices of the batch.
constexpr int64_t work_of_large = 1 << 24;
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

enum class How : uint8_t { few_rows, tiled, blocked };

How how_to(const Product& p) {
  // Our tiles are faster than BLIS throughout where they are written for the CPU.
  static const bool has_tiles = !tile_kernel(Precision::f32).is_plain();
  const int64_t few = p.b.row == 1 ? few_rows_of_dots : few_rows;
  if (p.k == 0 || p.m <= few) {
    return How::few_rows;
  }
  if (has_tiles) {
    return How::tiled;
  }
  return p.m * p.n * p.k <= little_work ? How::few_rows : How::blocked;
}

struct Grid {
  int64_t rows = 1;     // of a tile
  int64_t columns = 1;  // of a tile
};

Grid grid_of(const Product& p, How how) {
  Grid grid{p.m, p.n};
  if (how == How::few_rows) {
    constexpr int64_t step = 64;
    // One row reads its chunk once, from memory: longer stretches suit that.
    const int64_t worth = p.m == 1 ? 2 * work_a_chunk : work_a_chunk;
    const int64_t columns = worth / std::max<int64_t>(1, p.m * p.k);
    grid.columns = std::min(p.n, std::max(step, columns / step * step));
    return grid;
  }
  const auto work = [&] { return grid.rows * grid.columns * p.k; };
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

void multiply(const Product& p, How how) {
  if (p.k == 0) {
    scale(p);
  } else if (how == How::few_rows) {
    multiply_few_rows(p);
  } else if (how == How::tiled) {
    multiply_tiled(p);
  } else {
    multiply_blocked(p);
  }
}

/// A tile of the batch's first matrix, moved to the same tile of another.
Product moved(Product tile, const Batch& batch, int64_t matrix, bool is_flipped) {
  each_segment(batch.offsets, matrix, matrix + 1, [&](const Offsets<3>& at, int64_t) {
    tile.out += at[0];
    tile.a.data += is_flipped ? at[2] : at[1];
    tile.b.data += is_flipped ? at[1] : at[2];
  });
  return tile;
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
  const bool is_narrow = batch.product.n < batch.product.m && batch.product.n <= 8;
  const Product whole = is_narrow ? batch.product.flipped() : batch.product;
  const How how = how_to(whole);
  const int64_t matrices = batch.offsets.count();
  if (how == How::tiled && (matrices == 1 || whole.m * whole.n * whole.k > work_of_large)) {
    for (int64_t matrix = 0; matrix < matrices; ++matrix) {
      multiply_tiled(moved(whole, batch, matrix, is_narrow));
    }
    return;
  }
  const Grid grid = how == How::tiled ? Grid{whole.m, whole.n} : grid_of(whole, how);
  const int64_t down = tiles_along(whole.m, grid.rows);
  const int64_t across = tiles_along(whole.n, grid.columns);
  const int64_t work = std::max<int64_t>(1, grid.rows * grid.columns * whole.k);
  const int64_t units = matrices * down * across;
  each_range(units, std::max<int64_t>(1, work_a_chunk / work), [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t i = unit / across % down * grid.rows;
      const int64_t j = unit % across * grid.columns;
      const bool last_row = unit / across % down == down - 1;
      const bool last_column = unit % across == across - 1;
      const Product tile = whole.tile(i, last_row ? whole.m - i : grid.rows, j,
                                      last_column ? whole.n - j : grid.columns);
      multiply(moved(tile, batch, unit / (down * across), is_narrow), how);
    }
  });
}

}  // namespace heed::cpu
