// Scores of pairs of rows by the formula itself, e = Σ_a v_a f(q_a + k_a), for every activation and
// any range.
#pragma once

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// Rows of `width` floats each, dense.
struct DirectPair {
  Activation activation = Activation::tanh;
  int64_t width = 0;
  const float* query = nullptr;
  const float* key = nullptr;
  const float* v = nullptr;
};

float direct_score(const DirectPair& pair);

/// dquery += g, dkey += g, g = de v f'(q + k);  dv += de f(q + k); null pointers are skipped.
struct DirectGradients {
  float* dquery = nullptr;
  float* dkey = nullptr;
  float* dv = nullptr;
};
void direct_gradients(const DirectPair& pair, float de, const DirectGradients& to);

}  // namespace heed::cpu
