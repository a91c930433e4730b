// Products with a weight [N, K], in the precision it was given (ops/packed.h):
//
//   Y = X Wᵀ + b      dX = dY W      dW += dYᵀ X
//
// A decoder multiplies the same weights by a few rows at every step. Such products share state: the
// weight is packed once for all of them, and rows of dY and X are gathered until they make a tall
// product.
#pragma once

#include <memory>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tape.h"

namespace heed {

/// Copies share their state. Views are [M, N] and [M, K].
class WeightProducts {
 public:
  /// `is_recorded`: gradients will be needed.
  WeightProducts(const Tensor& weight, bool is_recorded);

  /// y ← x Wᵀ + b; b [N] or undefined.
  void forward(const View& y, const View& x, const Tensor& bias) const;
  /// dx ← dy W, or added to dx.
  void backward(const View& dx, const View& dy, bool adds) const;
  /// Adds dyᵀ x to the gradient of an op's input, the weight.
  void add_gradient(Gradients& g, size_t input, const View& dy, const View& x) const;

  /// Several products will follow before the weight changes. If they gather, `add_gathered` must be
  /// called after the last of them to add the rest of dW.
  enum class Timing : uint8_t { at_once, gathered };
  void expect_several(Timing gradients);
  void add_gathered(Gradients& g, size_t input) const;
  /// Frees a packed form; it is made again when it is needed.
  void release_form() const;

 private:
  struct Several;

  Tensor as_multiplied(const View& x) const;
  Tensor packed_weight(bool is_turned) const;
  void multiply(const View& out, const View& x, const View& b, bool adds) const;
  void multiply_packed(const PackedProduct& product) const;
  void gradient(const View& dw, const View& dy, const View& x, bool adds) const;

  Tensor weight_;
  Precision precision_;
  bool is_packed_;  // products use the weight's packed form
  std::shared_ptr<Several> several_;
};

}  // namespace heed
