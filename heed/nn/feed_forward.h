// Passes each row through a wide layer and back (Vaswani 2017 §3.3), gated or not (Shazeer 2020). f
// is the activation; dropout acts on the wide layer:
//
//   y = drop(f(x W₁ᵀ + b₁)) W₂ᵀ + b₂
//   y = drop(f(x W₁ᵀ + b₁) ⊙ (x W₃ᵀ + b₃)) W₂ᵀ + b₂        gated
#pragma once

#include <string>

#include "heed/nn/linear.h"
#include "heed/nn/pass.h"

namespace heed {

class FeedForward : public Module {
 public:
  void build(int64_t width, Init& init);
  void describe(Describer& d) override;
  /// x […, D] → […, D]
  Tensor operator()(const Tensor& x, Pass& pass) const;

 private:
  int64_t inner_width_ = 0;
  std::string activation_ = "relu";
  bool is_gated_ = false;
  bool has_bias_ = true;
  double dropout_ = 0;
  Linear inner_;  // W₁ [inner, D]
  Linear gate_;   // W₃ [inner, D]
  Linear outer_;  // W₂ [D, inner]
  const NamedActivation* f_ = nullptr;
};

}  // namespace heed
