// Which weights a run hands out and is judged by: those of its last update, or a mean over its way.
//
// `attach` makes the state, tensors of each parameter's shape; together with the count of weights
// taken in it is all a checkpoint needs to go on exactly.
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
  /// Works on these from now on, each tensor once; state begins at zero.
  virtual void attach(std::vector<NamedParameter> parameters);
  /// After the update of a step, counted from 1: takes the weights in where it is time.
  void follow(int64_t step);

  /// How often it took weights in: t in the formulas.
  int64_t taken() const { return taken_; }
  void set_taken(int64_t taken) { taken_ = taken; }
  /// Every state tensor with its name: "ema.decoder.output.weight"; pointers as of
  /// Optimiser::state.
  std::vector<NamedParameter> state();
  /// Whether it has anything to hand out but the weights themselves.
  bool differs() const { return taken_ > 0 && !state_.empty() && !state_.front().empty(); }
  /// The mean of each parameter, in their order.
  std::vector<Tensor> means() const;
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 protected:
  /// The names of its state tensors; none: it never takes anything in.
  virtual std::vector<std::string> kinds() const = 0;
  virtual bool is_due(int64_t step) const = 0;
  /// All parameters; `taken` counts this time as well.
  virtual void take(std::span<const FollowedTensor> tensors) const = 0;
  virtual Tensor mean(std::span<const Tensor> state) const = 0;

 private:
  std::vector<NamedParameter> parameters_;
  std::vector<std::vector<Tensor>> state_;  // of each parameter
  int64_t taken_ = 0;
};

/// While one lives, the parameters hold their means; afterwards, bit for bit, what they held.
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
