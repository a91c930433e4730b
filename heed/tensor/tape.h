// Reverse-mode differentiation. An op computes its outputs, then `record`s how gradients pass back
// through it:
//
//   Tensor tanh(const Tensor& x) {
//     Tensor y = …;
//     return record(y, {x}, [y = y.detached()](Gradients& g) { g.add(0, … g.of(0) …); });
//   }
//
// A node may have several outputs. Nodes run in reverse order of creation. Each is emptied as soon
// as it has run, so that the values it kept are freed during backward. Inside a backward function
// nothing is recorded.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/base/inline_function.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// What a backward function sees: it reads the gradients of its outputs and adds those of its
/// inputs.
class Gradients {
 public:
  explicit Gradients(Node& node) : node_(node) {}

  /// Whether output k has a gradient; otherwise nothing depended on it, and its gradient is zero.
  bool arrived(size_t output = 0) const;
  /// The gradient of output k, zeros where none arrived.
  const Tensor& of(size_t output = 0) const;
  /// The same, but it can be taken only once; where nobody else holds it, it may be overwritten.
  Tensor take(size_t output = 0);
  /// Whether input i needs a gradient; skip the work otherwise.
  bool wanted(size_t input) const;
  /// Adds `gradient` to input i's, summing over axes along which the input was broadcast.
  void add(size_t input, Tensor gradient);
  /// The gradient of input i as memory to add into, zeros at first; so a slice adds its part
  /// without a full-size copy. Release one such handle before asking for the next, because a held
  /// handle counts as another holder.
  Tensor into(size_t input);
  /// The same without the zeros: if it is fresh, all of it must be written before anything is read.
  struct Target {
    Tensor gradient;
    bool is_fresh;
  };
  Target target(size_t input);

 private:
  Node& node_;
};

using Backward = InlineFunction<void(Gradients&), 128>;

/// Gives `output` a history, unless no input needs a gradient or a NoGrad lives. All other holders
/// of the output, including the backward function, see its values without the history.
Tensor record(const Tensor& output, std::initializer_list<Operand> inputs, Backward backward);
Tensor record(Tensor&& output, std::initializer_list<Operand> inputs, Backward backward);
void record(std::span<Tensor> outputs, std::span<const Tensor> inputs, Backward backward);

/// Whether `record` would record for these inputs; ops that keep extra values for backward ask
/// first.
bool recording(std::initializer_list<Operand> inputs);

/// As long as one lives, nothing is recorded on this thread.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

bool gradients_enabled();

}  // namespace heed
