// y = x Wᵀ + b, or f(x Wᵀ + b)
#pragma once

#include "heed/nn/activations.h"
#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"

namespace heed {

class Linear : public Module {
 public:
  explicit Linear(bool has_bias = true) : has_bias_(has_bias) {}

  /// Draws W as in Glorot 2010; b is 0 at first.
  void build(int64_t in, int64_t out, Init& init);
  /// The same, where a setting of the owner decides whether there is a b.
  void build_with(bool has_bias, int64_t in, int64_t out, Init& init);
  /// Several matrices [out, in] below each other, each drawn separately: for the gates of a cell.
  void build_blocks(int64_t blocks, int64_t in, int64_t out, Init& init);
  void describe(Describer& d) override;

  /// x […, in] → […, out]
  Tensor operator()(const Tensor& x) const;
  /// The same by a product that shares with those of the pass (ops/products.h).
  Tensor operator()(const Tensor& x, const Pass& pass) const;
  /// Applies f as well, in the product's own kernel if that has f and nothing is recorded.
  Tensor activated(const Tensor& x, const NamedActivation& f, const Pass& pass) const;

  const Weight& weight() const { return weight_; }  // [out, in]
  const Tensor& bias() const { return bias_; }      // [out]; undefined where there is none

 private:
  bool has_bias_;
  Weight weight_;
  Tensor bias_;
};

}  // namespace heed
