// Which weights a run saves and is judged by: those of the last update, or a mean over the run.
//
// `attach` makes the state, tensors of each parameter's shape. The state and the number of weights
// taken in are all that a checkpoint needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/nn/module.h"

namespace heed {

/// A parameter and its state, in the order of the kinds.
struct FollowedTensor {
  Tensor p;
  std::span<const Tensor> state;
};

class Average : public Described {
 public:
  /// Sets the parameters to work on, each tensor once; the state is zero at first.
  virtual void attach(std::vector<NamedParameter> parameters);
  /// Called after the update of a step, counted from 1: takes the weights in if it is due.
  void follow(int64_t step);

  /// How often it took weights in: t in the formulas.
  int64_t taken() const { return taken_; }
  void set_taken(int64_t taken) { taken_ = taken; }
  /// Every state tensor with its name, such as "ema.decoder.output.weight"; the pointers are valid
  /// as those of Optimiser::state.
  std::vector<NamedParameter> state();
  /// Whether it has means that differ from the weights themselves.
  bool differs() const { return taken_ > 0 && !state_.empty() && !state_.front().empty(); }
  /// The mean of each parameter, in their order.
  std::vector<Tensor> means() const;
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 protected:
  /// The names of its state tensors; empty if it never takes anything in.
  virtual std::vector<std::string> kinds() const = 0;
  virtual bool is_due(int64_t step) const = 0;
  /// Takes in all parameters; `taken` already counts this time.
  virtual void take(std::span<const FollowedTensor> tensors) const = 0;
  virtual Tensor mean(std::span<const Tensor> state) const = 0;

 private:
  std::vector<NamedParameter> parameters_;
  std::vector<std::vector<Tensor>> state_;  // of each parameter
  int64_t taken_ = 0;
};

/// As long as one lives, the parameters hold their means; afterwards they hold their old values,
/// bit for bit.
class MeanInPlace {
 public:
  explicit MeanInPlace(const Average& average);
  ~MeanInPlace();
  MeanInPlace(const MeanInPlace&) = delete;
  MeanInPlace& operator=(const MeanInPlace&) = delete;

 private:
  const Average& average_;
  std::vector<Tensor> kept_;
};

}  // namespace heed
