// One step of the tape: which tensors went in, what came out, how gradients pass back. Private to
// this layer.
#pragma once

#include <memory>
#include <vector>

#include "heed/tensor/tape.h"

namespace heed {

struct Node {
  struct Edge {
    std::shared_ptr<Node> node;  // null where that input needs no gradient
    uint32_t output = 0;
    Shape shape;
    Place place;
  };
  struct Output {
    Shape shape;
    Place place;
    Tensor gradient;
  };

  uint64_t order = 0;       // of creation; backward runs in reverse
  bool is_leaf = false;     // keeps its gradient
  bool is_waiting = false;  // in backward's queue already
  std::vector<Edge> inputs;
  std::vector<Output> outputs;
  Backward backward;

  Node() = default;
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
};

/// sum ← sum + gradient (of `shape`), in place where sum's memory is its own.
void accumulate(Tensor& sum, Tensor gradient, const Shape& shape);

}  // namespace heed
