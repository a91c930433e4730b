// Depthwise convolution over the rows of each sequence (ops/convolve.h has the formula): row t sees
// rows t − ⌊(K−1)/2⌋ … t + ⌈(K−1)/2⌉ of its own sequence, those beyond its ends as zero.
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/tensor/layout.h"

namespace heed {

class Depthwise : public Module {
 public:
  /// Draws weights evenly from ±√(3/K), so that rows keep their variance; biases are 0.
  void build(int64_t width, int64_t kernel, Init& init);
  void describe(Describer& d) override;
  /// x [N, width] → [N, width]
  Tensor operator()(const Tensor& x, const Layout& layout) const;

 private:
  Tensor weight_;  // [kernel, width]
  Tensor bias_;    // [width]
};

}  // namespace heed
