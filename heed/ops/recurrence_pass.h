// The forward pass of a recurrent layer over time, as its gradient reads it. Private to this layer.
#pragma once

#include "heed/device/kernel/recurrent.h"
#include "heed/ops/products.h"
#include "heed/ops/recurrence.h"

namespace heed {

/// Everything that forward computes; it is kept for backward.
struct RecurrentPass {
  const Recurrence& recurrence;
  bool reversed;
  Multiplied by;         // the weight [gates·H, H]
  Tensor hidden_before;  // [B, H]
  Tensor cell_before;    // [B, H] or undefined
  Tensor mask;           // [T, B, 1] or undefined
  Tensor gates;          // [T, B, kept·H]
  Tensor hidden;         // [T, B, H], after each step
  Tensor cell;           // [T, B, H] or undefined

  RecurrentPass(const Recurrence& cell_kind, const RecurrentInput& input);
  int64_t steps() const { return hidden.size(0); }
  int64_t batch() const { return hidden.size(1); }
  int64_t width() const { return hidden.size(2); }
  Backend& backend() const { return hidden.backend(); }
  int64_t last_time() const { return reversed ? 0 : steps() - 1; }

  /// The call that runs all steps, without the weight.
  RecurrentSteps all_steps(const View& projected, const Tensor& bias) const;
  bool may_run_all() const;
  /// Runs all steps and gives their outputs.
  Tensor run(const RecurrentInput& input) const;
  /// The same in one call; undefined where the backend has none.
  Tensor run_all(const RecurrentInput& input) const;
  void run_each(const RecurrentInput& input) const;
  RecurrentStep step(int64_t time) const;
  /// kept ← fresh where the sequence is active at this time, else old.
  void choose(int64_t time, const View& kept, const View& fresh, const View& old) const;
  View reached(const View& gates_of_step, int axis) const;
  /// Whether the outputs are the states as they are.
  bool says_all() const { return steps() == 1 && !mask.defined(); }
  Tensor outputs() const;
};

/// Goes back over time and adds the gradients of projected, weight, bias and first state.
void pass_back(const RecurrentPass& pass, Gradients& g);

/// Entry `index` of the first axis.
inline View at(const Tensor& x, int64_t index) {
  const View one = sliced(x.view(), 0, index, 1);
  return *reshaped(one, Shape(one.shape).erase(0));
}

/// [B, T, …] ↔ [T, B, …]
inline View turned(const View& view) { return transposed(view, 0, 1); }

/// [N, M, …] as [N·M, …], for dense views.
inline View joined(const View& view) {
  return *reshaped(view, {view.shape[0] * view.shape[1], view.shape[2]});
}

}  // namespace heed
