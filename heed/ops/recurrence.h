// What all recurrent cells share: the walk over time, masks, and the gradients of W and b. A cell
// adds the mathematics of one step. Private to this layer.
//
// Everything kept per step is time-major, [T, B, …], so that a step is one dense block and the sum
// over all steps of dgatesᵀ h is one matmul.
#pragma once

#include <memory>

#include "heed/ops/recurrent.h"

namespace heed {

/// One step, all rows at once. `gates` holds `kept` blocks of H; before `add_input` those that W h
/// reaches are W h + b.
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

/// Gradients of one step. Rows that are not at work are seen to afterwards. `backward` fills
/// dgates, dcell_before and, where the cell passes h on directly, dhidden_before; what flows
/// through W is added afterwards.
struct RecurrentGradient {
  View dgates;             // [B, gradients·H]
  View dhidden;            // [B, H]
  View dhidden_before;     // [B, H]
  View dcell = {};         // [B, H], with a cell only
  View dcell_before = {};  // [B, H], with a cell only
};

class Recurrence {
 public:
  /// Blocks of H: in weight and bias; kept per step; of those, the first that W h reaches; in
  /// dgates, which has the same order as what is kept but may stop earlier.
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

  /// Brings x, projected [B, gates·H], to a step's gates.
  virtual void add_input(const RecurrentStep& step, const View& projected) const;
  virtual void forward(const RecurrentStep& step) const = 0;
  virtual void backward(const RecurrentStep& step, const RecurrentGradient& gradient) const = 0;
  /// The gradient of projected, [B, T, gates·H], from that of the gates, [T, B, gradients·H].
  virtual Tensor projected_gradient(const Tensor& dgates) const;

  const char* const name;
  const Blocks blocks;
  const bool has_cell;
  const bool passes_hidden;  // h enters h' not only through W
};

/// Runs a cell over its sequences. `recurrence` outlives the tape.
RecurrentOutput run_over_time(const Recurrence& recurrence, const RecurrentInput& input);

}  // namespace heed
