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

/// The gradient of an output ← itself + gradient, as long as broadcasting makes it and of either element
/// type where these are f32 and bf16; in place where no other tensor shares its memory.
void accumulate(Node::Output& of, Tensor&& gradient);

}  // namespace heed
