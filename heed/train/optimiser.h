// What turns gradients into better parameters: p ← p − η f(g, state), one update a training step.
//
// Settings arrive through `describe`; `attach` then makes the state (zeros): for every parameter
// one tensor of each kind the optimiser keeps for its shape. State and the count of updates are all
// a checkpoint needs to go on exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/nn/module.h"

namespace heed {

/// One kind of state, and its shape for some parameter.
struct StateKind {
  std::string name;
  Shape shape;
};

class Optimiser : public Described {
 public:
  void describe(Describer& d) override;

  /// Works on these from now on, each tensor once; state begins at zero.
  void attach(std::vector<NamedParameter> parameters);
  /// One update with the learning rate η; a parameter without a gradient stays as it is.
  void step(double rate);

  /// η at its highest; a schedule scales it.
  double learning_rate() const { return learning_rate_; }
  /// Updates made so far: t in the formulas.
  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }

  /// Every state tensor with its name: "first.decoder.output.weight". The pointers live as long as
  /// the optimiser, until the next `attach`.
  std::vector<NamedParameter> state();

 protected:
  explicit Optimiser(double learning_rate) : learning_rate_(learning_rate) {}

  /// What it keeps for a parameter of this shape, with its settings as they are.
  virtual std::vector<StateKind> kinds(const Shape& parameter) const = 0;
  /// One tensor's update: all are dense, p and g of one shape, `state` in the order of `kinds`.
  virtual void update(const Tensor& p, const Tensor& g, std::span<const Tensor> state,
                      double rate) const = 0;

 private:
  struct Slot {
    NamedParameter parameter;
    std::vector<std::string> kinds;
    std::vector<Tensor> state;
  };

  double learning_rate_;
  int64_t updates_ = 0;
  std::vector<Slot> slots_;
};

/// out ← f(in…) on dense tensors of one size; out may be among them.
void update_by(Function f, const Tensor& out, std::initializer_list<Operand> in,
               MapScalars scalars = {});

}  // namespace heed
