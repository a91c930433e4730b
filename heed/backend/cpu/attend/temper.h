// From a row of weights to the weights that the context uses, and the reports of it.
//
//   α̃_j = α_j g_j,  g_j = exp(−(j − centre)² / 2σ²)        used_j = α̃_j keep_j
//   entropy = −Σ α̃ log α̃, 0 log 0 = 0
#pragma once

#include "heed/backend/cpu/attend/heads.h"

namespace heed::cpu {

/// g of slots [first, first + n).
struct Gaussian {
  float centre = 0;
  float rate = 0;  // −1 / 2σ²
};
void gaussian_row(const Gaussian& at, int64_t first, int64_t n, float* g);

/// 0 or 1/(1 − rate) for elements [first, first + n) of the grid.
void keep_row(const AttendDropout& dropout, uint64_t first, int64_t n, float* keep);

/// x_j ← x_j y_j
void multiply_row(float* x, const float* y, int64_t n);
/// to_j ← by · x_j, which may be the same row
void scale_row(float* to, const float* x, float by, int64_t n);

/// −Σ w log max(w, 1e-30), w = factor · u.
float entropy_row(const float* u, int64_t n, float factor);
/// The index of the first largest factor · u, or −1 if none is above 0.
int64_t argmax_row(const float* u, int64_t n, float factor);

/// dα_j = g_j dw_j, in place, where dw is the gradient of α̃; returns dcentre = Σ dw α̃ (j −
/// centre)/σ².
float gaussian_gradient_row(const Gaussian& at, const SlotRange& slots, const float* weights,
                            const float* g, float* gradient);

}  // namespace heed::cpu
