// A vector for every word: y = s E[id, :], s = √D or 1 (Vaswani 2017 §3.4).
//
// The same table can also give the scores of words, logits = x Eᵀ + b: a tied output (Press and Wolf
// 2017).
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"

namespace heed {

class Embedding : public Module {
 public:
  explicit Embedding(bool is_scaled = false) : is_scaled_(is_scaled) {}

  /// E is normal with deviation 1/√D, so that logits of unit vectors are of size 1.
  void build(int64_t words, int64_t width, Init& init);
  /// Uses the table of `owner`, which is built: one parameter under two names.
  void tie(const Embedding& owner);
  void describe(Describer& d) override;

  /// ids i32 […] → […, D]; an id of −1 gives zeros.
  Tensor operator()(const Tensor& ids) const;
  /// x […, D] → […, V], without s; b [V] is added if it is defined.
  Tensor logits(const Tensor& x, const Pass& pass, const Tensor& bias = {}) const;

  const Weight& table() const { return table_; }  // [V, D]
  int64_t words() const { return table_.size(0); }
  int64_t width() const { return table_.size(1); }

 private:
  bool is_scaled_;
  DType rows_ = DType::f32;  // of the model's activations
  Weight table_;
};

}  // namespace heed
