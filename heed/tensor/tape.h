// Reverse-mode differentiation. An op computes its outputs, then `record`s how gradients pass back
// through it:
//
//   Tensor tanh(const Tensor& x) {
//     Tensor y = …;
//     return record(y, {x}, [y = y.detached()](Gradients& g) { g.add(0, … g.of(0) …); });
//   }
//
// A node may have several outputs. Nodes run in reverse order of creation; each is emptied as soon
// as it has run, so the values it kept are freed while backward passes. Inside a backward function
// nothing is recorded.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/base/inline_function.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// What a backward function sees: gradients of its outputs, and where to leave those of its inputs.
class Gradients {
 public:
  explicit Gradients(Node& node) : node_(node) {}

  /// True where something downstream depended on output k; otherwise its gradient is zero.
  bool arrived(size_t output = 0) const;
  /// The gradient of output k, zeros where none arrived.
  const Tensor& of(size_t output = 0) const;
  /// The same, handed out once: where nobody else holds it, it may be written over.
  Tensor take(size_t output = 0);
  /// True where input i needs a gradient at all: skip the work otherwise.
  bool wanted(size_t input) const;
  /// Adds `gradient` to input i's, summing over axes along which the input was broadcast.
  void add(size_t input, Tensor gradient);
  /// The gradient of input i as memory to add into, zeros at first: how a slice hands back its part
  /// without a full-size copy. Let go of one before asking for the next: a handle still held counts
  /// as somebody else's.
  Tensor into(size_t input);
  /// The same without the zeros: where it is fresh, all of it must be written and nothing read.
  struct Target {
    Tensor gradient;
    bool is_fresh;
  };
  Target target(size_t input);

 private:
  Node& node_;
};

using Backward = InlineFunction<void(Gradients&), 128>;

/// Gives `output` a history, unless no input needs a gradient or NoGrad holds. Whoever else holds
/// the output, the backward function among them, sees its values without the history.
Tensor record(const Tensor& output, std::initializer_list<Operand> inputs, Backward backward);
Tensor record(Tensor&& output, std::initializer_list<Operand> inputs, Backward backward);
void record(std::span<Tensor> outputs, std::span<const Tensor> inputs, Backward backward);

/// True where `record` would record for these inputs: ops that keep extra values for backward ask
/// first.
bool recording(std::initializer_list<Operand> inputs);

/// While one lives, nothing is recorded on this thread.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

bool gradients_enabled();

}  // namespace heed
