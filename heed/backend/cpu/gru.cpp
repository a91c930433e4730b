// One step of a gated recurrent unit and its gradient, row by row; the formulas stand in
// device/kernel/.
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dense_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/vector_math.h"
#include "heed/device/kernel/recurrent.h"

namespace heed::cpu {
namespace {

constexpr int64_t cost = 6;  // of one unit, in elements of a cheap loop

void step_row(float* gates, const float* h, float* h_new, int64_t n) {
  float* value = gates;
  float* r = gates + n;
  float* z = gates + 2 * n;
  const float* u = gates + 3 * n;
#pragma omp simd
  for (int64_t j = 0; j < 2 * n; ++j) {
    r[j] = VectorMath::sigmoid(r[j]);
  }
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    value[j] = VectorMath::tanh(value[j] + r[j] * u[j]);
    h_new[j] = value[j] + z[j] * (h[j] - value[j]);
  }
}

struct SlopeRow {
  const float* gates;
  const float* h;
  const float* dh_new;
  float* dgates;
  float* dh;
};

void slope_row(const SlopeRow& at, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float value = at.gates[j];
    const float r = at.gates[n + j];
    const float z = at.gates[2 * n + j];
    const float u = at.gates[3 * n + j];
    const float dh = at.dh_new[j];
    const float dn = dh * (1 - z) * (1 - value * value);
    at.dgates[j] = dn;
    at.dgates[n + j] = dn * u * r * (1 - r);
    at.dgates[2 * n + j] = dh * (at.h[j] - value) * z * (1 - z);
    at.dgates[3 * n + j] = dn * r;
    at.dh[j] = dh * z;
  }
}

}  // namespace

void gru(const GruStep& step) {
  const int64_t rows = step.hidden.shape[0];
  const int64_t n = step.hidden.shape[1];
  const DenseRows gates(step.gates, rows, 4 * n, "gru");
  const DenseRows before(step.hidden_before, rows, n, "gru");
  const DenseRows hidden(step.hidden, rows, n, "gru");
  each_range(rows, units_per_chunk(cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      step_row(gates[b], before[b], hidden[b], n);
    }
  });
}

void gru_slope(const GruSlope& slope) {
  const int64_t rows = slope.dhidden.shape[0];
  const int64_t n = slope.dhidden.shape[1];
  const DenseRows gates(slope.gates, rows, 4 * n, "gru_slope");
  const DenseRows before(slope.hidden_before, rows, n, "gru_slope");
  const DenseRows dhidden(slope.dhidden, rows, n, "gru_slope");
  const DenseRows dgates(slope.dgates, rows, 4 * n, "gru_slope");
  const DenseRows dbefore(slope.dhidden_before, rows, n, "gru_slope");
  each_range(rows, units_per_chunk(cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      slope_row({gates[b], before[b], dhidden[b], dgates[b], dbefore[b]}, n);
    }
  });
}

}  // namespace heed::cpu
