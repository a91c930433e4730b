// Products with a weight [N, K] in its precision (ops/weight.h):
//
//   Y = f(X Wᵀ + b)      dX = dY W      dW += dYᵀ X      db += Σ_rows dY
#pragma once

#include <memory>
#include <vector>

#include "heed/device/kernel/convolve.h"
#include "heed/device/kernel/product.h"
#include "heed/ops/weight.h"
#include "heed/tensor/tape.h"

namespace heed {

/// What several products with one weight share as long as the weight does not change.
struct ProductShare {
  /// dY and X of several products are kept here until their rows make a tall product; the maker of
  /// the share calls `add_gathered` after the last of them.
  bool gathers = false;
  Tensor form;  // packed, of the weight or of its transpose
  bool is_turned = false;
  std::vector<Tensor> dy;  // [M, N] each
  std::vector<Tensor> x;   // [M, K]
  int64_t rows = 0;        // of all of them, at most Backend::gathered_rows
};

/// Views are [M, N] and [M, K].
class WeightProducts {
 public:
  /// `is_recorded`: gradients will be needed. Without a share each product works by itself.
  WeightProducts(const Weight& weight, bool is_recorded,
                 std::shared_ptr<ProductShare> share = nullptr);

  /// y ← x Wᵀ + b; b [N] or undefined.
  void forward(const View& y, const View& x, const Tensor& bias) const {
    forward(y, x, bias, AfterProduct::nothing);
  }
  /// y ← f(x Wᵀ + b), where `finishes`.
  void forward(const View& y, const View& x, const Tensor& bias, AfterProduct after) const;
  /// Convolves by the backend's own kernel with the packed weight, which `step` need not name, nor the
  /// bias; false if the backend has no such kernel or it declines.
  bool convolve(ConvolveStep step, const Tensor& bias) const;
  /// W, or its transpose, as PackStep leaves it; undefined if plain products are used.
  Tensor packed_weight(bool is_turned) const;
  /// Whether the kernel of `forward` applies f itself.
  bool finishes() const;
  /// dx ← dy W, or added to dx.
  void backward(const View& dx, const View& dy, bool adds) const;
  /// Which inputs of an op the weight and the bias are.
  struct Inputs {
    static constexpr size_t none = SIZE_MAX;
    size_t weight = 1;
    size_t bias = 2;
  };
  /// Adds dyᵀ x to the gradient of an op's weight, and Σ dy to that of its bias. Where the share
  /// gathers, it keeps both until then.
  void add_gradients(Gradients& g, const Tensor& dy, const Tensor& x) const;
  /// The same of these inputs, at once; nothing is gathered.
  void add_now(Gradients& g, const Inputs& inputs, const View& dy, const View& x) const;
  /// The same products, of an op with another bias than the one whose gradient is gathered.
  WeightProducts without_gathering() const;
  /// Frees the share's packed form; it is made again when it is needed.
  void release_form() const;
  /// Adds the rows that are left in the share.
  void add_gathered(Gradients& g, const Inputs& inputs) const;

 private:
  Backend& backend() const { return *weight_.place().backend; }
  Tensor plain_weight() const;
  Tensor rounded_copy(const View& x) const;
  void multiply(const View& out, const View& x, const View& b, bool adds) const;
  void forward_low(const View& y, const View& x, const Tensor& bias) const;
  void multiply_low(const View& out, const View& a, const View& b, bool adds) const;
  void gradient(const ProductGradient& call) const;

  Weight weight_;
  Precision precision_;
  bool is_packed_;       // products use a packed form
  bool gathers_ = true;  // if the share does
  std::shared_ptr<ProductShare> share_;
};

}  // namespace heed
