// Rows of scores to rows of weights, and gradients back; the normalisers of device/kernel/attend.h.
//
//   α_j = f u_j: `weigh` leaves u_j, the weights without their common factor f, since a context is
//   scaled more cheaply than its weights: c = f Σ u_j v_j; those of exp it leaves with their factor
//   where the row is shorter than a context, and f = 1
//
//   exp          u = 2^(c e_j − peak), peak = max_j c e_j, c = scale · log₂ e    f = 1 / Σ u
//
//   relu         u = max(0, e_j + b)                                             f = 1, 1/n, 1/Σ u
//
//   sigmoid      u = σ(e_j + b), b less log n where asked                        f the same
//
//   threshold α  u = max(0, x_j − τ)^(1/(α−1)), x = c e_j − peak,
//                c = scale (α − 1), Σ u = 1                                      f = 1
//
//   threshold k  exp over the k largest, ties to the lower slot
//
// Gradients, dα given:
//   exp and topk       de = α (dα − Σ α dα)
//   relu               de = [α > 0] f dα,           less Σ α dα inside where divided by the sum
//   sigmoid            de = u (1 − u) f dα,         the same
//   threshold α        de = s (dα − Σ s dα / Σ s),  s = α^(2−α) on the support
#pragma once

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

/// One row of a block; columns are counted from the block's first slot. Closed columns between
/// `first` and `last` get weight 0, columns beyond are not looked at again.
struct WeightRow {
  int64_t begin;  // open columns
  int64_t end;
  int64_t first;
  int64_t last;
  const float* bias;  // of column 0, or none
  float count;        // n_i
  float peak;         // the row's state: written by weigh, read by reweigh
  float level;        // f of streaming ones and topk, τ of α-entmax
  float factor;       // f
  float entropy;      // of α where weigh was asked for it and has it; below 0: not known
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
  bool is_short = false;  // rows see the same slots, no more of them than a context is wide
};

/// e: scores in, u out. Entropy costs nothing beside 2^x, whose x is log₂ u: −Σ α ln α = ln Σ u −
/// f ln 2 Σ u log₂ u.
void weigh(const WeightRows& w, const LoweredNormaliser& normaliser);
/// e: scores in, α out, by the state that weigh left.
void reweigh(const WeightRows& w, const LoweredNormaliser& normaliser);
/// gradient: dα in, de out, with respect to the scores after scale and bias; e holds α. `means` are
/// Σ α dα of the rows where they are known already; then a row may be part of one.
void weigh_gradient(const WeightRows& w, const LoweredNormaliser& normaliser, TileRows gradient,
                    const float* means);

/// reweigh and weigh_gradient of exp at once, without a bias; the gradients are with respect to the
/// scores before the scale. `is_weighed`: e holds α already.
void exp_gradient(const WeightRows& w, TileRows gradient, const float* means, bool is_weighed);

/// Closes all but the k largest of e[0, n), ties to the lower index, by −∞; `spare` has n floats.
void keep_largest(float* e, int64_t n, int64_t k, float* spare);

}  // namespace heed::cpu
