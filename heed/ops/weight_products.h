// Products with a weight [N, K], in the precision it was given (ops/packed.h):
//
//   Y = X Wᵀ + b      dX = dY W      dW += dYᵀ X
//
// A decoder meets the same weights with a few rows at every step. Such products share: the weight
// is packed once for all of them, and the rows of dY and X gather until they make a tall product.
#pragma once

#include <memory>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tape.h"

namespace heed {

/// Copies share. Views are [M, N] and [M, K].
class WeightProducts {
 public:
  /// `is_recorded`: gradients will be asked for.
  WeightProducts(const Tensor& weight, bool is_recorded);

  /// y ← x Wᵀ + b; b [N] or undefined.
  void forward(const View& y, const View& x, const Tensor& bias) const;
  /// dx ← dy W, or added to dx.
  void backward(const View& dx, const View& dy, bool adds) const;
  /// Adds dyᵀ x to the gradient of an op's input, the weight.
  void add_gradient(Gradients& g, size_t input, const View& dy, const View& x) const;

  /// Several products will follow while the weight stays as it is. Those that gather leave the rest
  /// of dW to whoever calls `add_gathered` after the last of them.
  enum class Timing : uint8_t { at_once, gathered };
  void expect_several(Timing gradients);
  void add_gathered(Gradients& g, size_t input) const;
  /// Lets a packed form go; it is made again where one is needed.
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
  bool is_packed_;  // products go through a form packed beside the weight
  std::shared_ptr<Several> several_;
};

}  // namespace heed
