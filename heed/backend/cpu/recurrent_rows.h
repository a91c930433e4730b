// What the kernels of recurrent steps share: one row of a step's gradient, and what a step has besides if it
// is one of a sequence.
#pragma once

#include <algorithm>

#include "heed/device/kernel/recurrent.h"

namespace heed::cpu {

struct LstmGradientRow {
  const float* gates;
  const float* c;
  const float* dh;
  const float* dc_new;
  float* dgates;
  float* dc;
};

struct GruGradientRow {
  const float* gates;
  const float* h;
  const float* dh_new;
  float* dgates;
  float* dh;
};

/// Views without data are absent.
struct StepOfSequence {
  View input = {};          // [B, G·H] x, added to the gates' sums
  View active = {};         // [B, 1]
  View hidden_before = {};  // [B, H], kept where a row is not active
  View output = {};         // [B, H], the new state or, where a row is not active, 0
};
void lstm_step(const LstmStep& step, const StepOfSequence& more);
void gru_step(const GruStep& step, const StepOfSequence& more);

struct GradientOfSequence {
  View doutput = {};  // [B, H], added to dhidden where a row is active
  View active = {};   // [B, 1]; the gradients of rows that are not active pass on unchanged
  View dinput = {};   // [B, G·H], written: that of the step's input
};
/// dhidden becomes what reaches h besides through W: 0 or, where a row is not active, itself.
void lstm_gradient_step(const LstmGradient& step, const GradientOfSequence& more);
void gru_gradient_step(const GruGradient& step, const GradientOfSequence& more);

/// Row b of a view [B, …]; null where the view is without data.
inline float* row_of(const View& view, int64_t b) {
  return view.data == nullptr ? nullptr : view.as<float>() + b * view.strides[0];
}

/// Whether row b is active; `active` may be without data.
inline bool is_active(const View& active, int64_t b) {
  const float* at = row_of(active, b);
  return at == nullptr || *at != 0;
}

/// What row b says after its step.
inline void write_output(const StepOfSequence& more, int64_t b, const float* hidden, int64_t n) {
  float* output = row_of(more.output, b);
  if (output == nullptr) {
    return;
  }
  if (is_active(more.active, b)) {
    std::copy_n(hidden, n, output);
  } else {
    std::fill_n(output, n, 0.0F);
  }
}

}  // namespace heed::cpu
