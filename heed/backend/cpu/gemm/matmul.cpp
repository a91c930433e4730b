// out ← alpha a b + beta out for every matrix of the batch, or f(x wᵀ + bias) of one. The grid of tiles
// depends on shapes and strides only, so the bits do not depend on the threads.
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/gemm/tile.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"
#include "heed/base/error.h"
#include "heed/device/kernel/product.h"

namespace heed::cpu {
namespace {

/// Few rows are multiplied without packing, which would cost more than it gains. The limit is
/// higher for dot products (b's columns are dense) than for streamed rows (b's rows are dense).
constexpr int64_t few_rows_of_dots = 24;
constexpr int64_t few_rows_streamed = 8;
/// The number of multiply-adds that is worth a chunk.
constexpr int64_t work_a_chunk = 1 << 18;
/// A matrix with more multiply-adds is cut itself; below, a thread takes whole matrices of the
/// batch.
constexpr int64_t work_of_large = 1 << 24;

struct Batch {
  Segments<3> offsets;  // of out, a and b
  Product product;      // of the first matrix
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

/// A batch that shares b, and whose rows are evenly spaced, becomes one taller matrix.
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

bool is_tiled(const Product& p) {
  return p.k > 0 && p.m > (p.b.row == 1 ? few_rows_of_dots : few_rows_streamed);
}

/// The number of columns that few rows are multiplied with at a time.
int64_t columns_a_unit(const Product& p, bool is_flipped) {
  const int64_t step = p.b.column == 1 && p.m > 1 ? 128 : 64;  // wider where rows of b are streamed
  // For one row memory is the limit and long stretches are best, but even a small matrix has two. The
  // columns of a flipped product are rows of x: one row's bits must not depend on how many there are,
  // and long stretches are summed in another order (dots-inl.h).
  const int64_t longest = is_flipped ? work_a_chunk / 2 : 2 * work_a_chunk;
  const int64_t worth =
      p.m == 1 ? std::clamp(p.n * p.k / 2, work_a_chunk / 4, longest) : work_a_chunk;
  const int64_t columns = worth / std::max<int64_t>(1, p.m * p.k);
  return std::min(p.n, std::max(step, columns / step * step));
}

void scale(const Product& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      float& to = p.out[i * p.out_row + j * p.out_column];
      to = p.beta == 0 ? 0 : p.beta * to;
    }
  }
}

void multiply(Product p) {
  if (is_tiled(p)) {
    return multiply_tiled(p, tile_kernel(Precision::f32));
  }
  if (p.bias != nullptr) {
    p.begin_with_bias();
    p.beta = 1;
  }
  if (p.k == 0) {
    scale(p);
  } else {
    multiply_few_rows(p);
  }
  p.finish();
}

/// A part of the batch's first matrix, moved to the same part of another.
Product moved(Product part, const Batch& batch, int64_t matrix, bool is_flipped) {
  each_segment(batch.offsets, matrix, matrix + 1, [&](const Offsets<3>& at, int64_t) {
    part.out += at[0];
    part.a.data += is_flipped ? at[2] : at[1];
    part.b.data += is_flipped ? at[1] : at[2];
  });
  return part;
}

void run(const Batch& batch) {
  const bool is_narrow = batch.product.n < batch.product.m && batch.product.n <= 8;
  const Product whole = is_narrow ? batch.product.flipped() : batch.product;
  const int64_t matrices = batch.offsets.count();
  const bool tiles = is_tiled(whole);
  if (tiles && (matrices == 1 || whole.m * whole.n * whole.k > work_of_large)) {
    for (int64_t matrix = 0; matrix < matrices; ++matrix) {
      multiply_tiled(moved(whole, batch, matrix, is_narrow), tile_kernel(Precision::f32));
    }
    return;
  }
  const int64_t columns = tiles ? whole.n : columns_a_unit(whole, is_narrow);
  // What would be less than half a unit is added to the last one.
  const int64_t across = std::max<int64_t>(1, (whole.n + columns / 2) / columns);
  const int64_t work = std::max<int64_t>(1, whole.m * columns * whole.k);
  const int64_t some = matrices == 1 ? 1 : std::max<int64_t>(1, work_a_chunk / work);
  each_range(matrices * across, some, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t j = unit % across * columns;
      const bool is_last = unit % across == across - 1;
      const Product part = whole.tile(0, whole.m, j, is_last ? whole.n - j : columns);
      multiply(moved(part, batch, unit / across, is_narrow));
    }
  });
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
  run(batch);
}

void multiply_plain(const PlainProduct& call) {
  require(
      call.out.rank() == 2 && call.out.stride(1) == 1 && call.x.shape[0] == call.out.shape[0] &&
          call.weight.shape == Shape({call.out.shape[1], call.x.shape[1]}),
      "multiply: saw x {}, weight {} and out {}, needs [M, K], [N, K] and [M, N] with dense rows",
      to_string(call.x.shape), to_string(call.weight.shape), to_string(call.out.shape));
  if (call.out.numel() == 0) {
    return;
  }
  Batch batch = batch_of(call.out, call.x, transposed(call.weight));
  Product& p = batch.product;
  const float* bias = call.bias.data != nullptr ? call.bias.as<float>() : nullptr;
  // A narrow product is computed the other way round, where a bias would be one of rows.
  const bool is_narrow = p.n <= 8;
  if (is_narrow && bias != nullptr) {
    p.bias = bias;
    p.begin_with_bias();
    p.beta = 1;
    bias = nullptr;
  }
  p.bias = bias;
  p.after = is_narrow ? AfterProduct::nothing : call.after;
  run(batch);
  if (is_narrow) {
    p.after = call.after;
    p.finish();
  }
}

}  // namespace heed::cpu
