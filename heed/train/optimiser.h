// An optimiser updates parameters by their gradients: p ← p − η f(g, state), once a training step.
//
// Settings are assigned through `describe`; `attach` then makes the state (zeros): for every
// parameter one tensor of each kind that the optimiser keeps for its shape. The state and the
// number of updates are all that a checkpoint needs. An update takes all parameters at once, and
// reads from memory whatever changes from one update to the next.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/nn/module.h"
#include "heed/train/step_numbers.h"

namespace heed {

/// One kind of state, and its shape for some parameter.
struct StateKind {
  std::string name;
  Shape shape;
};

/// What an update of one parameter reads and writes: p and g are dense and of one shape, the state
/// is in the order of its kinds.
struct UpdatedTensor {
  Tensor p;
  Tensor g;
  std::span<const Tensor> state;
};

class Optimiser : public Described {
 public:
  void describe(Describer& d) override;

  /// Sets the parameters to work on, each tensor once; the state is zero at first.
  void attach(std::vector<NamedParameter> parameters);
  /// One update with the learning rate η and the gradients times `scale`; a parameter without a
  /// gradient does not change.
  void step(double rate, double scale = 1);

  /// The largest η; a schedule scales it.
  double learning_rate() const { return learning_rate_; }
  /// Updates made so far: t in the formulas.
  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }

  /// Every state tensor with its name: "first.decoder.output.weight". The pointers live as long as
  /// the optimiser, until the next `attach`.
  std::vector<NamedParameter> state();

 protected:
  explicit Optimiser(double learning_rate) : learning_rate_(learning_rate) {}

  /// The state that it keeps for a parameter of this shape, with the present settings.
  virtual std::vector<StateKind> kinds(const Shape& parameter) const = 0;
  /// The numbers of the formula that change from update to update; always the same count.
  virtual std::vector<double> numbers(double rate) const = 0;
  /// One update of all parameters. `numbers` has the scale of the gradients first, then the numbers
  /// of the function above.
  virtual void update(std::span<const UpdatedTensor> tensors, const StepNumbers& numbers) const = 0;

 private:
  struct Slot {
    NamedParameter parameter;
    std::vector<std::string> kinds;
    std::vector<Tensor> state;
  };

  double learning_rate_;
  int64_t updates_ = 0;
  std::vector<Slot> slots_;
  StepNumbers numbers_;
};

/// out ← f(in…) on dense tensors of one size, or operands of one element; out may be among them.
void update_by(Function f, const Tensor& out, std::initializer_list<Operand> in,
               MapScalars scalars = {});

/// scale · g in new memory, with the scale from `numbers`.
Tensor scaled_gradient(const UpdatedTensor& one, const StepNumbers& numbers);

}  // namespace heed
