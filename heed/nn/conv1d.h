// Convolution over the rows of each sequence (ops/conv1d.h has the formula). Rows before a
// sequence's first and after its last count as zero; no other sequence's rows are seen:
//
//   centred  row t sees t − ⌊r/2⌋ … t + ⌈r/2⌉, r = (kernel − 1) · dilation      causal  t − r … t
//
// With a stride s only rows 0, s, 2s, … are computed, ⌈n/s⌉ of n.
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/tensor/layout.h"

namespace heed {

class Conv1d : public Module {
 public:
  struct Form {
    int64_t kernel = 3;
    int64_t stride = 1;
    int64_t dilation = 1;
    bool is_causal = false;
    bool has_bias = true;
  };

  /// Draws weights as in Glorot 2010, with the kernel counted in both fans; biases are 0.
  void build(int64_t in, int64_t out, const Form& form, Init& init);
  void describe(Describer& d) override;

  struct Output {
    Tensor rows;    // [N', out]
    Layout layout;  // the one given where stride is 1, else packed
  };
  /// x [N, in]
  Output operator()(const Tensor& x, const Layout& layout) const;

 private:
  Form form_;
  Tensor weight_;  // [out, kernel, in]
  Tensor bias_;    // [out]
};

}  // namespace heed
