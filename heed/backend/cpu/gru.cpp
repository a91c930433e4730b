// One step of a gated recurrent unit and its gradient, row by row; device/kernel/recurrent.h has
// the formulas.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gru.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dense_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/recurrent_rows.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"
#include "heed/device/kernel/recurrent.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// Each function runs over several vectors at a time, because the functions of one unit depend on
// each other.
HWY_FLATTEN void gru_row(float* gates, const float* h, float* h_new, int64_t n) {
  float* value = gates;
  float* r = value + n;
  float* z = r + n;
  float* u = z + n;
  transform(
      r, 2 * n, [](Floats x) HWY_ATTR { return sigmoid(Wide(), x); }, r);  // and z
  const auto bent = [](Floats reset, Floats reached, Floats x)
                        HWY_ATTR { return tanh(Wide(), hn::MulAdd(reset, reached, x)); };
  transform(value, n, bent, r, u, value);
  const auto mixed = [](Floats keep, Floats before, Floats now)
                         HWY_ATTR { return hn::MulAdd(keep, hn::Sub(before, now), now); };
  transform(h_new, n, mixed, z, h, value);
}

HWY_FLATTEN void gru_enter(float* to, const float* x, int64_t n) {
  transform(
      to, n, [](Floats sum, Floats more) HWY_ATTR { return hn::Add(sum, more); }, to, x);
}

void gru_gradient_row(const GruGradientRow& at, int64_t n) {
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

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

constexpr int64_t gru_cost = 6;  // of one unit, in elements of a cheap loop

}  // namespace

HWY_EXPORT(gru_row);
HWY_EXPORT(gru_enter);
HWY_EXPORT(gru_gradient_row);

void gru(const GruStep& step) { gru_step(step, {}); }

void gru_step(const GruStep& step, const StepOfSequence& more) {
  const int64_t rows = step.hidden.shape[0];
  const int64_t n = step.hidden.shape[1];
  const DenseRows gates(step.gates, rows, 4 * n, "gru");
  const DenseRows before(step.hidden_before, rows, n, "gru");
  const DenseRows hidden(step.hidden, rows, n, "gru");
  each_range(rows, units_per_chunk(gru_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      if (const float* input = row_of(more.input, b)) {  // r, z, n, where the gates are n, r, z
        std::copy_n(input + 2 * n, n, gates[b]);
        HWY_DYNAMIC_DISPATCH(gru_enter)(gates[b] + n, input, 2 * n);
      }
      HWY_DYNAMIC_DISPATCH(gru_row)(gates[b], before[b], hidden[b], n);
      if (!is_active(more.active, b)) {
        std::copy_n(before[b], n, hidden[b]);
      }
      write_output(more, b, hidden[b], n);
    }
  });
}

void gru_gradient(const GruGradient& gradient) {
  const int64_t rows = gradient.dhidden.shape[0];
  const int64_t n = gradient.dhidden.shape[1];
  const DenseRows gates(gradient.gates, rows, 4 * n, "gru_gradient");
  const DenseRows before(gradient.hidden_before, rows, n, "gru_gradient");
  const DenseRows dhidden(gradient.dhidden, rows, n, "gru_gradient");
  const DenseRows dgates(gradient.dgates, rows, 4 * n, "gru_gradient");
  const DenseRows dbefore(gradient.dhidden_before, rows, n, "gru_gradient");
  each_range(rows, units_per_chunk(gru_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      HWY_DYNAMIC_DISPATCH(gru_gradient_row)
      ({gates[b], before[b], dhidden[b], dgates[b], dbefore[b]}, n);
    }
  });
}

void gru_gradient_step(const GruGradient& step, const GradientOfSequence& more) {
  const int64_t rows = step.dhidden.shape[0];
  const int64_t n = step.dhidden.shape[1];
  const DenseRows gates(step.gates, rows, 4 * n, "gru_gradient");
  const DenseRows before(step.hidden_before, rows, n, "gru_gradient");
  const DenseRows dhidden(step.dhidden, rows, n, "gru_gradient");
  const DenseRows dgates(step.dgates, rows, 4 * n, "gru_gradient");
  each_range(rows, units_per_chunk(gru_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      if (is_active(more.active, b)) {
        if (const float* doutput = row_of(more.doutput, b)) {
          HWY_DYNAMIC_DISPATCH(gru_enter)(dhidden[b], doutput, n);
        }
        HWY_DYNAMIC_DISPATCH(gru_gradient_row)
        ({gates[b], before[b], dhidden[b], dgates[b], dhidden[b]}, n);
      } else {
        std::fill_n(dgates[b], 4 * n, 0.0F);
      }
      if (float* dinput = row_of(more.dinput, b)) {
        std::copy_n(dgates[b] + n, 2 * n, dinput);
        std::copy_n(dgates[b], n, dinput + 2 * n);
      }
    }
  });
}

}  // namespace heed::cpu
#endif
