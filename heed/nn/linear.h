// y = x Wᵀ + b
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"

namespace heed {

class Linear : public Module {
 public:
  explicit Linear(bool has_bias = true) : has_bias_(has_bias) {}

  /// W is drawn after Glorot 2010, b begins at 0.
  void build(int64_t in, int64_t out, Init& init);
  /// The same where the owner's setting decides about b.
  void build_with(bool has_bias, int64_t in, int64_t out, Init& init);
  /// Several matrices [out, in] one below the other, each drawn on its own: the gates of a cell.
  void build_blocks(int64_t blocks, int64_t in, int64_t out, Init& init);
  void describe(Describer& d) override;

  /// x […, in] → […, out]
  Tensor operator()(const Tensor& x) const;

  const Tensor& weight() const { return weight_; }  // [out, in]
  const Tensor& bias() const { return bias_; }      // [out]; undefined where there is none

 private:
  bool has_bias_;
  Tensor weight_;
  Tensor bias_;
};

}  // namespace heed
