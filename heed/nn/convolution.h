// Convolution over the cells of grids [B, H, W, C], or over the rows of sequences (ops/convolve.h has the
// formulas).
//
// Rows before a sequence's first and after its last count as zero, and no other sequence's are seen:
//
//   centred  row t sees t − ⌊r/2⌋ … t + ⌈r/2⌉, r = (kernel − 1) · dilation      causal  t − r … t
//
// With a stride s only rows 0, s, 2s, … are computed, ⌈n/s⌉ of n.
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"
#include "heed/ops/padding.h"
#include "heed/tensor/layout.h"

namespace heed {

class Convolution : public Module {
 public:
  struct Form {
    GridWindows windows = GridWindows::square(3, 1, Padding::same());
    int64_t groups = 1;  // as many as there are channels, in and out: depthwise
    AfterProduct after = AfterProduct::nothing;
    bool has_bias = true;
  };
  struct RowForm {
    int64_t kernel = 3;
    int64_t stride = 1;
    int64_t dilation = 1;
    bool is_causal = false;
    bool is_depthwise = false;  // as many channels out as in, each by itself
    bool has_bias = true;
  };

  /// Draws weights as in Glorot 2010, with the window counted in both fans; biases are 0.
  void build(int64_t in, int64_t out, const Form& form, Init& init);
  void build_over_rows(int64_t in, int64_t out, const RowForm& form, Init& init);
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
  struct Rows {
    Tensor rows;    // [N', out]
    Layout layout;  // the one given where the stride is 1, else packed
  };
  /// x [N, in]
  Rows over_rows(const Tensor& x, const Layout& layout, const Pass& pass) const;
  int64_t out() const { return out_; }
  const Form& form() const { return form_; }

 private:
  bool is_depthwise() const { return cells_.defined(); }
  void check_and_keep(int64_t in, int64_t out, const Form& form);

  Form form_;
  int64_t out_ = 0;
  Weight weight_;  // [out, height · width · in / groups]; over rows its master is [out, kernel, in]
  Tensor cells_;  // [height · width, out], of a depthwise convolution
  Tensor bias_;   // [out]
};

}  // namespace heed
