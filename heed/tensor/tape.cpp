#include "heed/tensor/tape.h"

#include <algorithm>
#include <utility>

#include "heed/tensor/node.h"

namespace heed {
namespace {

thread_local int paused = 0;
/// A Lamport clock: a step is numbered after the last step of its thread and after all steps that
/// made its inputs.
thread_local uint64_t latest = 0;

/// `gradient` summed over the axes along which a tensor of `shape` at `place` was broadcast.
Tensor summed_to(const Tensor& gradient, const Shape& shape, const Place& place) {
  const int extra = gradient.rank() - shape.rank();
  require(extra >= 0, "backward: saw a gradient of shape {} for an input of shape {}",
          gradient.shape(), shape);
  Shape kept;
  for (int i = 0; i < extra; ++i) {
    kept.push(1);
  }
  for (const int64_t length : shape) {
    kept.push(length);
  }
  Tensor out = Tensor::empty(shape, place);
  View reduced = out.view();
  reduced = dense_view(reduced.data, reduced.dtype, kept);
  gradient.backend().reduce(Reduction::sum, reduced, gradient.view());
  return out;
}

/// The nodes that gradients have reached. Steps wait to run, latest first; leaves keep their
/// gradient.
class Reached {
 public:
  Reached() = default;
  Reached(const Reached&) = delete;
  Reached& operator=(const Reached&) = delete;
  /// Resets is_waiting in all nodes, also after an error.
  ~Reached() {
    for (const auto* nodes : {&steps_, &leaves_}) {
      for (const Shared<Node>& node : *nodes) {
        node->is_waiting = false;
      }
    }
  }

  bool empty() const { return steps_.empty(); }
  const std::vector<Shared<Node>>& leaves() const { return leaves_; }

  void push(Shared<Node> node) {
    if (node->is_waiting) {
      return;
    }
    node->is_waiting = true;
    if (node->is_leaf) {
      leaves_.push_back(std::move(node));
    } else {
      steps_.push_back(std::move(node));
      std::push_heap(steps_.begin(), steps_.end(), earlier);
    }
  }

  Shared<Node> pop_latest() {
    std::pop_heap(steps_.begin(), steps_.end(), earlier);
    Shared<Node> node = std::move(steps_.back());
    steps_.pop_back();
    node->is_waiting = false;
    return node;
  }

 private:
  static bool earlier(const Shared<Node>& a, const Shared<Node>& b) { return a->order < b->order; }
  std::vector<Shared<Node>> steps_;  // a heap
  std::vector<Shared<Node>> leaves_;
};

void run(Node& node) {
  require(static_cast<bool>(node.backward),
          "backward: saw a history that was passed before; run the forward pass again");
  Gradients gradients(node);
  node.backward(gradients);
}

}  // namespace

namespace {

/// Not inlined into `Gradients::of`, because it runs seldom.
[[gnu::noinline]] void set_to_zeros(Node::Output& out) {
  out.gradient = Tensor::zeros(out.shape, out.place);
}

/// sum ← sum + gradient, both of `shape`.
void add_to(Tensor& sum, Tensor gradient, const Shape& shape) {
  // Only memory that no other tensor shares (a saved value or another gradient) is written in
  // place.
  if (!sum.owns_memory_alone() && gradient.owns_memory_alone()) {
    std::swap(sum, gradient);
  }
  const Tensor target = sum.owns_memory_alone() && sum.view().is_contiguous()
                            ? sum
                            : Tensor::empty(shape, sum.place());
  const View operands[] = {sum.view(), gradient.view()};
  sum.backend().map(function<fn::Add>, target.view(), operands, {});
  sum = target;
}

}  // namespace

void accumulate(Node::Output& of, Tensor&& gradient) {
  if (!(gradient.shape() == of.shape)) {
    gradient = summed_to(gradient, of.shape, of.place);
  } else if (gradient.dtype() != of.place.dtype) {
    const Tensor given = std::move(gradient);
    gradient = Tensor::empty(of.shape, of.place);
    gradient.backend().copy(gradient.view(), given.view());
  }
  if (of.gradient.defined()) {
    add_to(of.gradient, std::move(gradient), of.shape);
  } else {
    of.gradient = std::move(gradient);
  }
}

// Iterative, because a long chain of nodes (an unrolled recurrence) would overflow the stack if
// each freed the next.
void Node::let_go_of_inputs() {
  std::vector<Shared<Node>> doomed;
  const auto take = [&doomed](Node& node) {
    for (Edge& edge : node.inputs) {
      // One edge at a time: a node that is two inputs has one holder only at its second edge.
      Shared<Node> input = std::move(edge.node);
      if (input.is_alone()) {
        doomed.push_back(std::move(input));
      }
    }
    node.inputs.clear();
  };
  take(*this);
  while (!doomed.empty()) {
    const Shared<Node> node = std::move(doomed.back());
    doomed.pop_back();
    take(*node);
    node->backward = nullptr;
  }
}

bool Gradients::arrived(size_t output) const {
  return output < node_.outputs.size() && node_.outputs[output].gradient.defined();
}

const Tensor& Gradients::of(size_t output) const {
  Node::Output& out = node_.outputs[output];
  if (!out.gradient.defined()) {
    set_to_zeros(out);
  }
  return out.gradient;
}

Tensor Gradients::take(size_t output) {
  of(output);
  return std::move(node_.outputs[output].gradient);
}

bool Gradients::wanted(size_t input) const { return static_cast<bool>(node_.inputs[input].node); }

void Gradients::add(size_t input, Tensor gradient) {
  const Node::Edge& edge = node_.inputs[input];
  if (edge.node) {
    accumulate(edge.source(), std::move(gradient));
  }
}

Gradients::Target Gradients::target(size_t input) {
  const Node::Edge& edge = node_.inputs[input];
  require(static_cast<bool>(edge.node), "backward: saw into() for an input that needs no gradient");
  Node::Output& source = edge.source();
  const bool is_fresh = !source.gradient.defined();
  if (is_fresh) {
    source.gradient = Tensor::empty(source.shape, source.place);
  } else if (!source.gradient.owns_memory_alone() || !source.gradient.view().is_contiguous()) {
    source.gradient = source.gradient.clone();
  }
  return {source.gradient, is_fresh};
}

Tensor Gradients::into(size_t input) {
  Target to = target(input);
  if (to.is_fresh) {
    to.gradient.backend().fill(to.gradient.view(), 0);
  }
  return std::move(to.gradient);
}

bool gradients_enabled() { return paused == 0; }
NoGrad::NoGrad() { ++paused; }
NoGrad::~NoGrad() { --paused; }

bool recording(std::initializer_list<Operand> inputs) {
  bool is_needed = false;
  for (const Tensor& input : inputs) {
    is_needed = is_needed || input.needs_gradient();
  }
  return is_needed && paused == 0;
}

namespace {

template <class Inputs>
Shared<Node> made_step(const Inputs& inputs, Backward&& backward) {
  Shared<Node> node(new Node);
  node->backward = std::move(backward);
  node->inputs.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    if (input.needs_gradient()) {
      const Shared<Node>& source = input.body()->node;
      latest = std::max(latest, source->order);
      node->inputs.push_back({source, input.body()->output});
    } else {
      node->inputs.push_back({});
    }
  }
  node->order = ++latest;
  return node;
}

/// Requires that nobody else holds `output`.
void give_history(const Tensor& output, Shared<Node> node) {
  Tensor::Body& body = *output.body();
  body.output = static_cast<uint32_t>(node->outputs.size());
  node->outputs.emplace_back(body.view.shape, output.place());
  body.node = std::move(node);
}

}  // namespace

void record(std::span<Tensor> outputs, std::span<const Tensor> inputs, Backward backward) {
  if (!gradients_enabled() || std::none_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
        return input.needs_gradient();
      })) {
    return;
  }
  const Shared<Node> node = made_step(inputs, std::move(backward));
  node->outputs.reserve(outputs.size());
  for (Tensor& output : outputs) {
    output = output.seen_as(output.view());
    give_history(output, node);
  }
}

Tensor record(const Tensor& output, std::initializer_list<Operand> inputs, Backward backward) {
  if (!recording(inputs)) {
    return output;
  }
  Tensor named = output.seen_as(output.view());
  give_history(named, made_step(inputs, std::move(backward)));
  return named;
}

Tensor record(Tensor&& output, std::initializer_list<Operand> inputs, Backward backward) {
  if (!output.body().is_alone()) {
    return record(std::as_const(output), inputs, std::move(backward));
  }
  if (recording(inputs)) {
    give_history(output, made_step(inputs, std::move(backward)));
  }
  return std::move(output);
}

void Tensor::backward(const Tensor& seed) const {
  require(needs_gradient(), "backward: saw a tensor that depends on no watched tensor");
  require(seed.defined() || numel() == 1, "backward: saw shape {}, needs one element or a seed",
          shape());
  require(!seed.defined() || seed.shape() == shape(), "backward: saw a seed {}, needs {}",
          seed.defined() ? seed.shape() : Shape(), shape());
  const NoGrad no_grad;
  Tensor first = seed.defined() ? seed : full(shape(), 1, place());
  accumulate(body_->node->outputs[body_->output], std::move(first));
  Reached reached;
  reached.push(body_->node);
  while (!reached.empty()) {
    const Shared<Node> node = reached.pop_latest();
    run(*node);
    for (Node::Edge& edge : node->inputs) {
      if (edge.node) {
        reached.push(std::move(edge.node));
      }
    }
    node->backward = nullptr;
    node->inputs.clear();
    for (Node::Output& output : node->outputs) {
      output.gradient = {};
    }
  }
  // Two leaves may share one gradient tensor, or a leaf may hold the caller's seed. They get
  // copies, so that scaling a leaf's gradient in place changes no other.
  for (const Shared<Node>& leaf : reached.leaves()) {
    Tensor& gradient = leaf->outputs[0].gradient;
    if (gradient.defined() && !(gradient.owns_memory_alone() && gradient.view().is_contiguous())) {
      gradient = gradient.clone();
    }
  }
}

}  // namespace heed
