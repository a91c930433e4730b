// Pairs of rows by exponential products. With x = e^(−κ q_i) ("below"), y = e^(κ k_j) and κ = 2:
//
//   tanh(q + k) = 1 − 2 x / (x + y)          Σ_a v tanh = Σ_a v − 2 Σ_a v x / (x + y)
//   1 − tanh²   = 4 x y / (x + y)²
//
// and the same with κ = 1 for σ = 1 − x / (x + y), σ' = x y / (x + y)². So a pair costs additions
// and products only, and several terms share a division:
//
//   u₁/z₁ + u₂/z₂ = (u₁ z₂ + u₂ z₁) / (z₁ z₂),  again for two such fractions, and so on
//
// Rows are padded with x = y = 1 and v = 0 to whole groups. The caller makes sure that products of
// `shared` denominators stay inside a float's range. The bits of a pair depend on its two rows
// only.
#pragma once

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

/// Rows are padded to multiples of this many floats.
int64_t product_group();

/// to ← e^(factor x), where |factor x| < 87. Beyond that the result is undefined, but nothing
/// fails.
void product_exponentials(float* to, const float* x, float factor, int64_t count);

/// e[r][s] ← total − κ Σ_a weighed[r] / (below[r] + keys[s])
struct ProductScores {
  int64_t rows = 0;
  int64_t slots = 0;
  int64_t width = 0;  // padded
  TileRows below;     // x
  TileRows weighed;   // v x
  TileRows keys;      // y
  float total = 0;    // Σ_a v
  float steepness = 2;
  TileRows e;
};

/// `shared` terms (1, 2 or 4) share one division.
void product_scores(const ProductScores& block, int shared);

/// The limit of slots of one ProductGradients. Odd numbers of slots leave no division unused.
inline constexpr int64_t product_slots = 17;

/// With z = de[r][s] / (below[r] + keys[s])²:
///   along[r] += Σ_s z y      plain[r] += Σ_s z      across[s] += Σ_r z x
struct ProductGradients {
  int64_t rows = 0;
  int64_t slots = 0;
  int64_t width = 0;  // padded
  TileRows below;
  TileRows keys;
  TileRows de;
  TileRows along;
  TileRows plain;
  TileRows across;
};

/// `shared` terms (1 or 2) share one division; products then have twice as many denominators.
void product_gradients(const ProductGradients& block, int shared);

/// The same for one row, slot after slot, with any number of slots:  across[s] += factor z y.
void product_row_gradients(const ProductGradients& block, const float* factor, int shared);

}  // namespace heed::cpu
