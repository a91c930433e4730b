#include "heed/tensor/tape.h"

#include <algorithm>
#include <atomic>
#include <queue>
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

struct LaterFirst {
  bool operator()(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) const {
    return a->order < b->order;
  }
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
      if (edge.node && edge.node.use_count() == 1) {
        doomed.push_back(std::move(edge.node));
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
  const NoGrad no_grad;
  accumulate(body_->node->outputs[body_->output].gradient,
             seed.defined() ? seed : full(shape(), 1, place()), shape());
  std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, LaterFirst>
      waiting;
  if (!body_->node->is_leaf) {
    waiting.push(body_->node);
  }
  while (!waiting.empty()) {
    const std::shared_ptr<Node> node = waiting.top();
    waiting.pop();
    run(*node);
    for (Node::Edge& edge : node->inputs) {
      if (edge.node && !edge.node->is_leaf && !edge.node->is_waiting) {
        edge.node->is_waiting = true;
        waiting.push(edge.node);
      }
    }
    node->backward = nullptr;
    node->inputs.clear();
    for (Node::Output& output : node->outputs) {
      output.gradient = {};
    }
  }
}

}  // namespace heed
