#include "heed/tensor/tape.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "heed/tensor/node.h"

namespace heed {
namespace {

thread_local int paused = 0;
std::atomic<uint64_t> created = 0;

/// `gradient` summed over the axes along which a tensor of `shape` was broadcast.
Tensor summed_to(const Tensor& gradient, const Shape& shape) {
  if (gradient.shape() == shape) {
    return gradient;
  }
  const int extra = gradient.rank() - shape.rank();
  require(extra >= 0, "backward: saw a gradient of shape {} for an input of shape {}",
          to_string(gradient.shape()), to_string(shape));
  Shape kept;
  for (int i = 0; i < extra; ++i) {
    kept.push(1);
  }
  for (const int64_t length : shape) {
    kept.push(length);
  }
  Tensor out = Tensor::empty(shape, gradient.place());
  View folded = out.view();
  folded = dense_view(folded.data, folded.dtype, kept);
  gradient.backend().fold(Fold::sum, folded, gradient.view());
  return out;
}

/// Nodes that gradients have reached: steps wait to run, latest first; leaves keep what they got.
class Reached {
 public:
  Reached() = default;
  Reached(const Reached&) = delete;
  Reached& operator=(const Reached&) = delete;
  /// By an error too: no node may go on believing that it waits.
  ~Reached() {
    for (const auto* nodes : {&steps_, &leaves_}) {
      for (const std::shared_ptr<Node>& node : *nodes) {
        node->is_waiting = false;
      }
    }
  }

  bool empty() const { return steps_.empty(); }
  const std::vector<std::shared_ptr<Node>>& leaves() const { return leaves_; }

  void push(const std::shared_ptr<Node>& node) {
    if (node->is_waiting) {
      return;
    }
    node->is_waiting = true;
    if (node->is_leaf) {
      leaves_.push_back(node);
    } else {
      steps_.push_back(node);
      std::push_heap(steps_.begin(), steps_.end(), earlier);
    }
  }

  std::shared_ptr<Node> pop_latest() {
    std::pop_heap(steps_.begin(), steps_.end(), earlier);
    std::shared_ptr<Node> node = std::move(steps_.back());
    steps_.pop_back();
    node->is_waiting = false;
    return node;
  }

 private:
  static bool earlier(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) {
    return a->order < b->order;
  }
  std::vector<std::shared_ptr<Node>> steps_;  // a heap
  std::vector<std::shared_ptr<Node>> leaves_;
};

void run(Node& node) {
  require(node.backward != nullptr,
          "backward: saw a history that was passed before; run the forward pass again");
  Gradients gradients(node);
  node.backward(gradients);
}

}  // namespace

void accumulate(Tensor& sum, Tensor gradient, const Shape& shape) {
  gradient = summed_to(gradient, shape);
  if (!sum.defined()) {
    sum = std::move(gradient);
    return;
  }
  // Writing in place needs memory that nobody else sees, neither a saved value nor another
  // gradient.
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

// A long chain of nodes (an unrolled recurrence) would overflow the stack if each freed the next.
Node::~Node() {
  std::vector<std::shared_ptr<Node>> doomed;
  const auto take = [&doomed](Node& node) {
    for (Edge& edge : node.inputs) {
      // One edge at a time: a node that goes in twice is alone only at its second edge.
      std::shared_ptr<Node> input = std::move(edge.node);
      if (input && input.use_count() == 1) {
        doomed.push_back(std::move(input));
      }
    }
    node.inputs.clear();
  };
  take(*this);
  while (!doomed.empty()) {
    const std::shared_ptr<Node> node = std::move(doomed.back());
    doomed.pop_back();
    take(*node);
    node->backward = nullptr;
  }
}

bool Gradients::arrived(size_t output) const { return node_.outputs[output].gradient.defined(); }

Tensor Gradients::of(size_t output) const {
  Node::Output& out = node_.outputs[output];
  if (!out.gradient.defined()) {
    out.gradient = Tensor::zeros(out.shape, out.place);
  }
  return out.gradient;
}

bool Gradients::wanted(size_t input) const { return node_.inputs[input].node != nullptr; }

void Gradients::add(size_t input, Tensor gradient) {
  const Node::Edge& edge = node_.inputs[input];
  if (edge.node) {
    accumulate(edge.node->outputs[edge.output].gradient, std::move(gradient), edge.shape);
  }
}

Tensor Gradients::into(size_t input) {
  const Node::Edge& edge = node_.inputs[input];
  require(edge.node != nullptr, "backward: saw into() for an input that needs no gradient");
  Tensor& gradient = edge.node->outputs[edge.output].gradient;
  if (!gradient.defined()) {
    gradient = Tensor::zeros(edge.shape, edge.place);
  } else if (!gradient.owns_memory_alone() || !gradient.view().is_contiguous()) {
    gradient = gradient.clone();
  }
  return gradient;
}

bool gradients_enabled() { return paused == 0; }
NoGrad::NoGrad() { ++paused; }
NoGrad::~NoGrad() { --paused; }

bool recording(std::initializer_list<Tensor> inputs) {
  return gradients_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
           return input.needs_gradient();
         });
}

void record(std::span<Tensor> outputs, std::span<const Tensor> inputs, Backward backward) {
  const bool needed = gradients_enabled() &&
                      std::any_of(inputs.begin(), inputs.end(),
                                  [](const Tensor& input) { return input.needs_gradient(); });
  if (!needed) {
    return;
  }
  auto node = std::make_shared<Node>();
  node->order = ++created;
  node->backward = std::move(backward);
  for (const Tensor& input : inputs) {
    if (input.needs_gradient()) {
      const Tensor::Body& body = *input.body();
      node->inputs.push_back({body.node, body.output, input.shape(), input.place()});
    } else {
      node->inputs.emplace_back();
    }
  }
  for (Tensor& output : outputs) {
    output = output.detached();
    output.body()->node = node;
    output.body()->output = static_cast<uint32_t>(node->outputs.size());
    node->outputs.push_back({output.shape(), output.place(), {}});
  }
}

Tensor record(Tensor output, std::initializer_list<Tensor> inputs, Backward backward) {
  record(std::span(&output, 1), {inputs.begin(), inputs.size()}, std::move(backward));
  return output;
}

void Tensor::backward(const Tensor& seed) const {
  require(needs_gradient(), "backward: saw a tensor that depends on no watched tensor");
  require(seed.defined() || numel() == 1, "backward: saw shape {}, needs one element or a seed",
          to_string(shape()));
  require(!seed.defined() || seed.shape() == shape(), "backward: saw a seed {}, needs {}",
          seed.defined() ? to_string(seed.shape()) : "", to_string(shape()));
  const NoGrad no_grad;
  accumulate(body_->node->outputs[body_->output].gradient,
             seed.defined() ? seed : full(shape(), 1, place()), shape());
  Reached reached;
  reached.push(body_->node);
  while (!reached.empty()) {
    const std::shared_ptr<Node> node = reached.pop_latest();
    run(*node);
    for (const Node::Edge& edge : node->inputs) {
      if (edge.node) {
        reached.push(edge.node);
      }
    }
    node->backward = nullptr;
    node->inputs.clear();
    for (Node::Output& output : node->outputs) {
      output.gradient = {};
    }
  }
  // Two leaves may have been handed one gradient, or a leaf the caller's seed; whoever scales a
  // leaf's gradient in place must not scale another's.
  for (const std::shared_ptr<Node>& leaf : reached.leaves()) {
    Tensor& gradient = leaf->outputs[0].gradient;
    if (gradient.defined() && !(gradient.owns_memory_alone() && gradient.view().is_contiguous())) {
      gradient = gradient.clone();
    }
  }
}

}  // namespace heed
