// Products of tiles that are in the caches, for attention; rows of b and c are dense.
//
//   multiply_rows      c ← a b      a [m, k], b [k, n]      scores by transposed keys, P V
//
//   multiply_columns   c ← aᵀ b     a [k, m], b [k, n]      dV = Pᵀ dO, dK = dSᵀ Q
//
//   multiply_dots      c ← a bᵀ     a [m, k], b [n, k]      scores of few rows, nothing transposed
//
// An element of c is a sum over k in an order that does not depend on the tile around it.
#pragma once

#include <cstdint>

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

struct TileProduct {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  TileRows a;
  TileRows b;
  TileRows c;
  bool adds = false;  // to c
};

void multiply_rows(const TileProduct& product);
void multiply_columns(const TileProduct& product);
void multiply_dots(const TileProduct& product);

/// to[j][i] ← from[i][j], i < rows, j < columns.
void transpose(TileRows to, TileRows from, int64_t rows, int64_t columns);

}  // namespace heed::cpu
