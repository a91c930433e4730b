// Shared by all recurrent cells: the loop over time, masks, and the gradients of W and b. A cell
// adds the formulas of one step. Private to this layer.
//
// Everything kept per step is time-major, [T, B, …], so that a step is one dense block and the sum
// over all steps of dgatesᵀ h is one matmul.
#pragma once

#include <memory>

#include "heed/ops/recurrent.h"

namespace heed {

/// One step of all rows. `gates` holds `kept` blocks of H; before `add_input` the first of them are
/// W h + b (Blocks::reached).
struct RecurrentStep {
  Backend& backend;
  int64_t width;          // H
  View gates;             // [B, kept·H]
  View hidden_before;     // [B, H]
  View hidden;            // [B, H]
  View cell_before = {};  // [B, H], with a cell only
  View cell = {};         // [B, H], with a cell only

  View block(const View& of, int64_t first, int64_t count = 1) const {
    return sliced(of, 1, first * width, count * width);
  }
  View gate(int64_t first, int64_t count = 1) const { return block(gates, first, count); }
};

/// The gradients of one step. `backward` fills dgates, dcell_before and, if the cell passes h on
/// directly, dhidden_before. Rows that are not active, and the gradient through W, are added
/// afterwards.
struct RecurrentGradient {
  View dgates;             // [B, gradients·H]
  View dhidden;            // [B, H]
  View dhidden_before;     // [B, H]
  View dcell = {};         // [B, H], with a cell only
  View dcell_before = {};  // [B, H], with a cell only
};

class Recurrence {
 public:
  /// Numbers of blocks of H: in weight and bias; kept per step; those of the kept ones, from the
  /// first on, that W h is added to; in dgates, which has the order of the kept ones but may be
  /// shorter.
  struct Blocks {
    int64_t gates;
    int64_t kept;
    int64_t reached;
    int64_t gradients;
  };

  Recurrence(const char* name, const Blocks& blocks, bool has_cell, bool passes_hidden)
      : name(name), blocks(blocks), has_cell(has_cell), passes_hidden(passes_hidden) {}
  virtual ~Recurrence() = default;
  Recurrence(const Recurrence&) = delete;
  Recurrence& operator=(const Recurrence&) = delete;

  /// Adds x, projected [B, gates·H], to a step's gates.
  virtual void add_input(const RecurrentStep& step, const View& projected) const;
  virtual void forward(const RecurrentStep& step) const = 0;
  virtual void backward(const RecurrentStep& step, const RecurrentGradient& gradient) const = 0;
  /// Whether a backend may run all steps in one call (RecurrentSteps); then the cell is an lstm if it has a
  /// cell, else a gru.
  virtual bool has_steps() const { return false; }
  /// The gradient of projected, [B, T, gates·H], from that of the gates, [T, B, gradients·H].
  virtual Tensor projected_gradient(const Tensor& dgates) const;

  const char* const name;
  const Blocks blocks;
  const bool has_cell;
  const bool passes_hidden;  // whether h enters h' also directly, not only through W
};

/// Runs a cell over its sequences. `recurrence` must outlive the tape.
RecurrentOutput run_over_time(const Recurrence& recurrence, const RecurrentInput& input);

}  // namespace heed
