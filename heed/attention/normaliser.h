// α_i = normalise(ẽ_i): weights from scores. A closed slot has score −∞ and gets weight 0; a row
// that sees nothing gets zeros.
#pragma once

#include <optional>

#include "heed/attention/lowered.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"

namespace heed {

struct Normalised {
  Tensor weights;  // [M, G, P, R, S]
  /// Where a slot was sampled: log p(slot) [M, G, P, R], with gradients (REINFORCE), and the
  /// distribution it came from.
  Tensor log_probability;
  Tensor distribution;
};

class Normaliser : public Module {
 public:
  void describe(Describer& /*d*/) override {}
  /// scores [M, G, P, R, S]; count n_i [M, 1, 1, R, 1]: the slots that the row may see after
  /// lengths and causality.
  virtual Normalised operator()(const Tensor& scores, const Tensor& count, Pass& pass) const = 0;
  /// Whether a gradient reaches the scores through the weights.
  virtual bool passes_gradient() const { return true; }
  /// Whether it chooses slots at random when it decodes.
  virtual bool draws_when_decoding() const { return false; }
  virtual std::optional<LoweredNormaliser> lower() const { return std::nullopt; }
};

/// 1 at `index` [..., 1] (i32) along the last axis; 0 elsewhere, and in rows whose scores are all
/// −∞.
Tensor one_hot_like(const Tensor& scores, const Tensor& index);

}  // namespace heed
