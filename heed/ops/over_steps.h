// A weight that serves every step of a loop:
//
//   y_t = x_t Wᵀ      dW = Σ_t dy_tᵀ x_t
//
// as one product when all steps have passed back, instead of one that reads and writes all of dW at
// every step. Made before the loop; ops of the loop take `weight()` and leave their terms.
#pragma once

#include <memory>

#include "heed/tensor/tensor.h"

namespace heed {

class OverSteps {
 public:
  OverSteps() = default;
  explicit OverSteps(const Tensor& weight);

  bool defined() const { return weight_.defined(); }
  /// The same numbers; what gradient an op leaves it arrives as usual.
  const Tensor& weight() const { return weight_; }
  /// dW += leftᵀ right, later: for backward functions of ops that took `weight()`. Matrices of as
  /// many rows as each other.
  void add(const Tensor& left, const Tensor& right) const;

 private:
  struct Terms;
  Tensor weight_;
  std::shared_ptr<Terms> terms_;
};

}  // namespace heed
