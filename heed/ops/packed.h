// Weights that are multiplied in less than f32, or packed once for many products.
//
// A weight that was given a precision keeps a packed form beside its memory, made when it is first
// needed and again when the weight has been written anew. bf16 serves training too: both operands
// are rounded, sums and masters stay f32. int8 and packed f32 serve where nothing is recorded.
//
//   Y = X Wᵀ + b      dX = dY W      dW += dYᵀ X
//
// A backend without packed products computes the same from plain ones: operands are rounded (bf16)
// or brought to whole multiples of a scale a row (int8) first.
#pragma once

#include <string>
#include <vector>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Products with this parameter [N, K] run in `precision` from now on.
void set_precision(const Tensor& weight, Precision precision);
/// Nothing that was set: f32, as the weight lies.
Precision precision_of(const Tensor& weight);

/// "f32", "bf16", "int8"
const std::vector<std::string>& precision_names();
Precision precision_named(const std::string& name);

/// x rounded to bf16, and to 127 steps either side of zero a row, as f32 (or f64).
Tensor rounded_to_bf16(const Tensor& x);
Tensor rounded_to_int8(const Tensor& rows);

/// A weight [N, K] as the products of one op see it. Views are [M, N] and [M, K].
class WeightProducts {
 public:
  /// `is_recorded`: gradients will be asked for.
  WeightProducts(const Tensor& weight, bool is_recorded);

  /// y ← x Wᵀ + b, or added to y; b [N] or undefined.
  void forward(const View& y, const View& x, const Tensor& bias, bool adds) const;
  /// dx ← dy W, or added to dx.
  void backward(const View& dx, const View& dy, bool adds) const;
  /// dw ← dyᵀ x, or added to dw.
  void slope(const View& dw, const View& dy, const View& x, bool adds) const;

 private:
  Tensor as_multiplied(const View& x) const;
  void multiply(const View& out, const View& x, const View& b, bool adds) const;
  void multiply_packed(const PackedProduct& product) const;

  Tensor weight_;
  Precision precision_;
  bool is_packed_;  // products go through a packed form
};

}  // namespace heed
