// Convolution over the cells of grids [B, H, W, C] (ops/convolve.h has the formulas).
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"
#include "heed/ops/padding.h"

namespace heed {

class Convolution : public Module {
 public:
  struct Form {
    GridWindows windows = GridWindows::square(3, 1, Padding::same());
    int64_t groups = 1;  // as many as there are channels, in and out: depthwise
    AfterProduct after = AfterProduct::nothing;
    bool has_bias = true;
  };

  /// Draws weights as in Glorot 2010, with the window counted in both fans; biases are 0.
  void build(int64_t in, int64_t out, const Form& form, Init& init);
  void describe(Describer& d) override;

  /// From now on its parameters get no gradient, and no optimiser changes them.
  void freeze();
  /// Whether its weight gets a gradient; not where it is frozen or serves.
  bool is_watched() const;
  /// Sets the weight from one in PyTorch's layout, [out, in / groups, height, width].
  void set_weight(const Tensor& weight);
  void set_bias(const Tensor& bias);

  /// x [B, H, W, in] → [B, H', W', out]
  Tensor operator()(const Tensor& x, const Pass& pass) const;
  int64_t out() const { return out_; }
  const Form& form() const { return form_; }

 private:
  bool is_depthwise() const { return cells_.defined(); }

  Form form_;
  int64_t out_ = 0;
  Weight weight_;  // [out, height · width · in / groups]
  Tensor cells_;   // [height · width, out], of a depthwise convolution
  Tensor bias_;    // [out]
};

}  // namespace heed
