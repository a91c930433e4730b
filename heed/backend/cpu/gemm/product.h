// One matrix product, out[m, n] ← f(alpha a[m, k] b[k, n] + beta out + bias[n]), with any strides; beta = 0
// does not read out. A bias or an f is only there where beta is 0 and the columns of out are dense.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heed/device/kernel/packed.h"

namespace heed::cpu {

struct TileKernel;

struct Matrix {
  const float* data = nullptr;
  int64_t row = 0;     // stride from row to row
  int64_t column = 0;  // stride from column to column

  Matrix at(int64_t i, int64_t j) const { return {data + i * row + j * column, row, column}; }
  Matrix flipped() const { return {data, column, row}; }
};

struct Product {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  Matrix a;
  Matrix b;
  float* out = nullptr;
  int64_t out_row = 0;
  int64_t out_column = 0;
  float alpha = 1;
  float beta = 0;
  const float* bias = nullptr;
  AfterProduct after = AfterProduct::nothing;

  /// Writes the bias to out, so that the sums are added to it.
  void begin_with_bias() const {
    for (int64_t i = 0; i < m; ++i) {
      std::copy_n(bias, n, out + i * out_row);
    }
  }
  /// Applies f to the whole of out.
  void finish() const;

  /// outᵀ ← bᵀ aᵀ: the same product with rows and columns exchanged, without bias and f.
  Product flipped() const {
    return {n, m, k, b.flipped(), a.flipped(), out, out_column, out_row, alpha, beta};
  }
  /// Rows [i, i + rows) and columns [j, j + columns) of the result.
  Product tile(int64_t i, int64_t rows, int64_t j, int64_t columns) const {
    Product part = *this;
    part.m = rows;
    part.n = columns;
    part.a = a.at(i, 0);
    part.b = b.at(0, j);
    part.out = out + i * out_row + j * out_column;
    part.bias = bias != nullptr ? bias + j : nullptr;
    return part;
  }
};

/// The kernel for few rows: sums stay in registers, and nothing is packed first. The order of each
/// sum does not depend on the tile.
void multiply_few_rows(const Product& product);

/// Multiplies by the tiles of an f32 kernel; packs both operands, and runs on the thread pool. k >
/// 0.
void multiply_tiled(const Product& product, const TileKernel& kernel);

}  // namespace heed::cpu
