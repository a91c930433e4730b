// Rows of scores to rows of weights, and gradients back; the normalisers of device/kernel/attend.h.
//
//   α_j = f u_j: `weigh` returns u_j, the weights without their common factor f, because scaling a
//   context is cheaper than scaling its weights: c = f Σ u_j v_j. Where the row is shorter than a
//   context, the weights of exp include their factor, and f = 1.
//
//   exp          u = 2^(c e_j − peak), peak = max_j c e_j, c = scale · log₂ e    f = 1 / Σ u
//
//   relu         u = max(0, e_j + b)                                             f = 1, 1/n, 1/Σ u
//
//   sigmoid      u = σ(e_j + b), b minus log n if asked for                      f the same
//
//   threshold α  u = max(0, x_j − τ)^(1/(α−1)), x = c e_j − peak,
//                c = scale (α − 1), Σ u = 1                                      f = 1
//
//   threshold k  exp over the k largest, ties to the lower slot
//
// Gradients, dα given:
//   exp and topk       de = α (dα − Σ α dα)
//   relu               de = [α > 0] f dα,           dα − Σ α dα for dα if divided by the sum
//   sigmoid            de = u (1 − u) f dα,         the same
//   threshold α        de = s (dα − Σ s dα / Σ s),  s = α^(2−α) on the support
#pragma once

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

/// One row of a block; columns are counted from the block's first slot. Closed columns between
/// `first` and `last` get weight 0; columns outside are not used again.
struct WeightRow {
  int64_t begin;  // open columns
  int64_t end;
  int64_t first;
  int64_t last;
  const float* bias;  // of column 0, or null
  float count;        // n_i
  float peak;         // the row's state: written by weigh, read by reweigh
  float level;        // f of streaming ones and topk, τ of α-entmax
  float factor;       // f
  float entropy;      // of α if weigh was asked for it and knows it; negative: unknown
};

/// A block's rows. Rows of `e` have room up to the next multiple of 16 columns.
struct WeightRows {
  TileRows e;
  WeightRow* row = nullptr;
  int64_t rows = 0;
  double scale = 1;
  int64_t bias_stride = 0;  // from column to column
  float* spare = nullptr;   // as long as a row
  bool wants_entropy = false;
  bool is_short = false;  // rows see the same slots, at most as many as a context is wide
};

/// e: scores in, u out. The entropy costs almost nothing next to 2^x, whose x is log₂ u:
/// −Σ α ln α = ln Σ u − f ln 2 Σ u log₂ u.
void weigh(const WeightRows& w, const LoweredNormaliser& normaliser);
/// e: scores in, α out, from the state that weigh stored.
void reweigh(const WeightRows& w, const LoweredNormaliser& normaliser);
/// gradient: dα in, de out, with respect to the scores after scale and bias; e holds α. `means` are
/// Σ α dα of the rows if they are known already; then a row here may be a part of a row.
void weigh_gradient(const WeightRows& w, const LoweredNormaliser& normaliser, TileRows gradient,
                    const float* means);

/// reweigh and weigh_gradient of exp in one pass, without a bias; the gradients are with respect to
/// the scores before the scale. `is_weighed`: e already holds α.
void exp_gradient(const WeightRows& w, TileRows gradient, const float* means, bool is_weighed);

/// Sets all but the k largest of e[0, n) to −∞, ties to the lower index; `spare` has n floats.
void keep_largest(float* e, int64_t n, int64_t k, float* spare);

}  // namespace heed::cpu
