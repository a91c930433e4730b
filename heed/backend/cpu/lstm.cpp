// One step of a long short-term memory and its gradient, row by row; device/kernel/recurrent.h has
// the formulas.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/lstm.cpp"
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
HWY_FLATTEN void lstm_row(float* gates, const float* c, float* c_new, float* h_new, int64_t n) {
  const auto squashed = [](Floats x) HWY_ATTR { return sigmoid(Wide(), x); };
  const auto bent = [](Floats x) HWY_ATTR { return tanh(Wide(), x); };
  float* i = gates;
  float* f = i + n;
  float* g = f + n;
  float* o = g + n;
  float* s = o + n;
  transform(i, 2 * n, squashed, i);  // and f
  transform(g, n, bent, g);
  transform(o, n, squashed, o);
  const auto next = [](Floats keep, Floats before, Floats enter, Floats value)
                        HWY_ATTR { return hn::MulAdd(keep, before, hn::Mul(enter, value)); };
  transform(c_new, n, next, f, c, i, g);
  transform(s, n, bent, c_new);
  transform(
      h_new, n, [](Floats open, Floats value) HWY_ATTR { return hn::Mul(open, value); }, o, s);
}

HWY_FLATTEN void lstm_enter(float* gates, const float* x, int64_t n) {
  transform(
      gates, n, [](Floats sum, Floats more) HWY_ATTR { return hn::Add(sum, more); }, gates, x);
}

void lstm_gradient_row(const LstmGradientRow& at, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float i = at.gates[j];
    const float f = at.gates[n + j];
    const float g = at.gates[2 * n + j];
    const float o = at.gates[3 * n + j];
    const float s = at.gates[4 * n + j];
    const float dh = at.dh[j];
    const float delta = at.dc_new[j] + dh * o * (1 - s * s);
    at.dgates[j] = delta * g * i * (1 - i);
    at.dgates[n + j] = delta * at.c[j] * f * (1 - f);
    at.dgates[2 * n + j] = delta * i * (1 - g * g);
    at.dgates[3 * n + j] = dh * s * o * (1 - o);
    at.dc[j] = delta * f;
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

constexpr int64_t lstm_cost = 8;  // of one cell, in elements of a cheap loop

}  // namespace

HWY_EXPORT(lstm_row);
HWY_EXPORT(lstm_enter);
HWY_EXPORT(lstm_gradient_row);

void lstm(const LstmStep& step) { lstm_step(step, {}); }

void lstm_step(const LstmStep& step, const StepOfSequence& more) {
  const int64_t rows = step.hidden.shape[0];
  const int64_t n = step.hidden.shape[1];
  const DenseRows gates(step.gates, rows, 5 * n, "lstm");
  const DenseRows before(step.cell_before, rows, n, "lstm");
  const DenseRows cell(step.cell, rows, n, "lstm");
  const DenseRows hidden(step.hidden, rows, n, "lstm");
  each_range(rows, units_per_chunk(lstm_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      if (const float* input = row_of(more.input, b)) {
        HWY_DYNAMIC_DISPATCH(lstm_enter)(gates[b], input, 4 * n);
      }
      HWY_DYNAMIC_DISPATCH(lstm_row)(gates[b], before[b], cell[b], hidden[b], n);
      if (!is_active(more.active, b)) {
        std::copy_n(before[b], n, cell[b]);
        std::copy_n(row_of(more.hidden_before, b), n, hidden[b]);
      }
      write_output(more, b, hidden[b], n);
    }
  });
}

void lstm_gradient(const LstmGradient& gradient) {
  const int64_t rows = gradient.dhidden.shape[0];
  const int64_t n = gradient.dhidden.shape[1];
  const DenseRows gates(gradient.gates, rows, 5 * n, "lstm_gradient");
  const DenseRows before(gradient.cell_before, rows, n, "lstm_gradient");
  const DenseRows dhidden(gradient.dhidden, rows, n, "lstm_gradient");
  const DenseRows dcell(gradient.dcell, rows, n, "lstm_gradient");
  const DenseRows dgates(gradient.dgates, rows, 4 * n, "lstm_gradient");
  const DenseRows dbefore(gradient.dcell_before, rows, n, "lstm_gradient");
  each_range(rows, units_per_chunk(lstm_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      HWY_DYNAMIC_DISPATCH(lstm_gradient_row)
      ({gates[b], before[b], dhidden[b], dcell[b], dgates[b], dbefore[b]}, n);
    }
  });
}

void lstm_gradient_step(const LstmGradient& step, const GradientOfSequence& more) {
  const int64_t rows = step.dhidden.shape[0];
  const int64_t n = step.dhidden.shape[1];
  const DenseRows gates(step.gates, rows, 5 * n, "lstm_gradient");
  const DenseRows before(step.cell_before, rows, n, "lstm_gradient");
  const DenseRows dhidden(step.dhidden, rows, n, "lstm_gradient");
  const DenseRows dcell(step.dcell, rows, n, "lstm_gradient");
  const DenseRows dgates(step.dgates, rows, 4 * n, "lstm_gradient");
  each_range(rows, units_per_chunk(lstm_cost * n), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      if (is_active(more.active, b)) {
        if (const float* doutput = row_of(more.doutput, b)) {
          HWY_DYNAMIC_DISPATCH(lstm_enter)(dhidden[b], doutput, n);
        }
        HWY_DYNAMIC_DISPATCH(lstm_gradient_row)
        ({gates[b], before[b], dhidden[b], dcell[b], dgates[b], dcell[b]}, n);
        std::fill_n(dhidden[b], n, 0.0F);
      } else {
        std::fill_n(dgates[b], 4 * n, 0.0F);
      }
      if (float* dinput = row_of(more.dinput, b)) {
        std::copy_n(dgates[b], 4 * n, dinput);
      }
    }
  });
}

}  // namespace heed::cpu
#endif
