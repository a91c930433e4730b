// Tiles in plain C++, for any CPU: 4 × 8 of f32, whose sums and operands fit into 16 registers, and
// 4 × 16 of whole numbers. bf16 is widened and multiplied as f32.
#include <algorithm>
#include <array>

#include "heed/backend/cpu/gemm/tile.h"
#include "heed/backend/cpu/lanes.h"

namespace heed::cpu {
namespace {

constexpr int64_t columns = 8;
constexpr int64_t vectors = columns / lane_count;
constexpr int64_t whole_columns = 16;

template <int R>
void f32_rows(const Tile& tile) {
  std::array<std::array<Lanes<float>, vectors>, R> sums;
  auto* out = static_cast<float*>(tile.out);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      sums[r][v] = tile.adds ? load(out + r * tile.out_row + v * lane_count) : Lanes<float>{};
    }
  }
  const auto* a = static_cast<const float*>(tile.a);
  const auto* b = static_cast<const float*>(tile.b);
  for (int64_t k = 0; k < tile.k; ++k, a += R, b += columns) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Lanes<float> y = load(b + v * lane_count);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        sums[r][v] += y * a[r];
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      store(out + r * tile.out_row + v * lane_count, sums[r][v]);
    }
  }
}

template <int R>
void whole_rows(const Tile& tile) {
  std::array<std::array<int32_t, whole_columns>, R> sums{};
  const auto* a = static_cast<const int16_t*>(tile.a);
  const auto* b = static_cast<const int8_t*>(tile.b);
  for (int64_t k = 0; k < tile.k; ++k, a += R, b += whole_columns) {
    for (int r = 0; r < R; ++r) {
#pragma omp simd
      for (int64_t c = 0; c < whole_columns; ++c) {
        sums[r][c] += static_cast<int32_t>(a[r]) * b[c];
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    std::copy_n(sums[r].data(), whole_columns, static_cast<int32_t*>(tile.out) + r * tile.out_row);
  }
}

constexpr SizedTile f32_tiles[] = {{4, {f32_rows<4>}}, {2, {f32_rows<2>}}, {1, {f32_rows<1>}}};
constexpr SizedTile whole_tiles[] = {
    {4, {whole_rows<4>}}, {2, {whole_rows<2>}}, {1, {whole_rows<1>}}};

bool always() { return true; }

using enum Element;

constexpr TileKernel kernels[] = {
    {"plain", Precision::f32, f32, f32, columns, 1, 1, 1, false, always, f32_tiles},
    {"plain", Precision::bf16, bf16, f32, columns, 1, 1, 1, true, always, f32_tiles},
    {"plain", Precision::int8, i8, i16, whole_columns, 1, 1, 1, false, always, whole_tiles},
};

}  // namespace

std::span<const TileKernel> plain_kernels() { return kernels; }

}  // namespace heed::cpu
