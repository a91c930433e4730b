#include "heed/backend/cpu/attend/rounded.h"

#include <algorithm>
#include <array>

namespace heed::cpu {
namespace {

constexpr int64_t alignment = 64;

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Writes or adds a row of a tile's sums to the result.
void hand_over(const float* sums, int64_t columns, bool adds, float* to) {
  if (adds) {
#pragma omp simd
    for (int64_t c = 0; c < columns; ++c) {
      to[c] += sums[c];
    }
  } else {
    std::copy_n(sums, columns, to);
  }
}

}  // namespace

Rounded RoundedTiles::sliced(Kind kind, const Matrix& x, const Rounded& shape, Scratch use) const {
  Rounded out = shape;
  const bool is_sliver = kind == Kind::slivers;
  const int64_t depth = is_sliver ? kernel_->row_depth : kernel_->depth;
  const int64_t padded = kernel_->padded(out.k);
  out.height = is_sliver ? kernel_->most_rows() : kernel_->columns;
  out.bytes = aligned(out.height * padded * bytes_of(kernel_->rows));
  constexpr auto size = static_cast<int64_t>(sizeof(float));
  out.data = reinterpret_cast<char*>(scratch(use, out.slices() * out.bytes / size));
  for (int64_t i = 0; i < out.slices(); ++i) {
    const int64_t rows = out.rows_of(i);
    const int64_t width = is_sliver ? kernel_->tile_for(rows).rows : out.height;
    const Slice slice{x.at(i * out.height, 0), rows, out.k, padded, width, depth};
    interleave_rounded(slice, *kernel_, out.data + i * out.bytes);
  }
  out.k = padded;
  return out;
}

Rounded RoundedTiles::panels(const Matrix& x, int64_t rows, int64_t k, Scratch use) const {
  return sliced(Kind::panels, x, {nullptr, rows, k}, use);
}

Rounded RoundedTiles::slivers(const Matrix& x, int64_t rows, int64_t k, Scratch use) const {
  return sliced(Kind::slivers, x, {nullptr, rows, k}, use);
}

void RoundedTiles::multiply(const RoundedProduct& product) const {
  const Rounded& a = product.a;
  const Rounded& b = product.b;
  const int64_t columns = kernel_->columns;
  alignas(alignment) std::array<float, widest_tile * widest_tile> sums;
  const InTiles in_tiles(*kernel_);
  for (int64_t i = 0; i < a.slices(); ++i) {
    const int64_t rows = a.rows_of(i);
    const SizedTile& tile = kernel_->tile_for(rows);
    const TileRows c = product.c.from(i * a.height);
    for (int64_t j = 0; j < b.slices(); ++j) {
      const char* panel = b.data + j * b.bytes + product.from_k * k_bytes();
      const int64_t wide = b.rows_of(j);
      float* to = c.data + j * columns;
      if (!product.adds && wide == columns && rows == tile.rows) {
        tile.run({a.data + i * a.bytes, panel, a.k, rows, to, c.stride});
        continue;
      }
      tile.run({a.data + i * a.bytes, panel, a.k, rows, sums.data(), columns});
      for (int64_t r = 0; r < rows; ++r) {
        hand_over(sums.data() + r * columns, wide, product.adds, to + r * c.stride);
      }
    }
  }
}

void RoundedTiles::multiply_whole(const Part& part, TileRows c) const {
  const InTiles in_tiles(*kernel_);
  for (int64_t j = 0; j < part.panels; ++j) {
    const char* panel = part.b.data + (part.panel + j) * part.b.bytes;
    for (int64_t i = 0; i < part.slivers; ++i) {
      const int64_t rows = part.a.rows_of(part.sliver + i);
      float* to = c[i * part.a.height] + j * kernel_->columns;
      kernel_->tile_for(rows).run(
          {part.a.data + (part.sliver + i) * part.a.bytes, panel, part.a.k, rows, to, c.stride});
    }
  }
}

}  // namespace heed::cpu
