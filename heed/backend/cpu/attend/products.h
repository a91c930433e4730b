// Products of tiles that lie in the caches, as attention needs them: rows of b and c lie dense.
//
//   multiply_rows      c ← a b      a [m, k], b [k, n]      scores by turned keys, P V
//
//   multiply_columns   c ← aᵀ b     a [k, m], b [k, n]      dV = Pᵀ dO, dK = dSᵀ Q
//
//   multiply_dots      c ← a bᵀ     a [m, k], b [n, k]      scores of few rows, nothing turned
//
// An element of c is one sum over k in one order whatever the tile around it.
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
  bool adds = false;  // to what c holds
};

void multiply_rows(const TileProduct& product);
void multiply_columns(const TileProduct& product);
void multiply_dots(const TileProduct& product);

/// to[j][i] ← from[i][j], i < rows, j < columns.
void transpose(TileRows to, TileRows from, int64_t rows, int64_t columns);

}  // namespace heed::cpu
