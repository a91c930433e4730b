// One step of the tape: its inputs, its outputs, and how gradients flow back. Private to this
// layer.
#pragma once

#include "heed/base/inline_vector.h"
#include "heed/tensor/tape.h"

namespace heed {

struct Node : Counted, Recycled<Node> {
  struct Output {
    Output(const Shape& lengths, const Place& where) : shape(lengths), place(where) {}
    Shape shape;
    Place place;
    Tensor gradient;
  };
  struct Edge {
    Shared<Node> node;  // null where that input needs no gradient
    uint32_t output = 0;

    Output& source() const { return node->outputs[output]; }
  };

  uint64_t order = 0;       // of creation; backward runs in reverse order
  bool is_leaf = false;     // keeps its gradient
  bool is_waiting = false;  // already in backward's queue
  InlineVector<Edge, 4> inputs;
  InlineVector<Output, 3> outputs;
  Backward backward;

  Node() = default;
  [[gnu::noinline]] ~Node() {
    if (!inputs.empty()) {
      let_go_of_inputs();
    }
  }

 private:
  void let_go_of_inputs();
};

/// sum ← sum + gradient (of `shape`), in place where no other tensor shares sum's memory.
void accumulate(Tensor& sum, Tensor&& gradient, const Shape& shape);

}  // namespace heed
