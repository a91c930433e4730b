// Self-attention, whose weights nobody needs but those who look on.
#pragma once

#include <vector>

#include "heed/attention/attend.h"

namespace heed {

/// As long as it lives, `attend_within` in this pass returns its weights as well and notes them
/// here: those of every block of an encoder or a decoder, in their order.
class SelfWeights {
 public:
  explicit SelfWeights(Pass& pass);
  ~SelfWeights();
  SelfWeights(const SelfWeights&) = delete;
  SelfWeights& operator=(const SelfWeights&) = delete;

  /// [N, H, S] of each call.
  const std::vector<Tensor>& blocks() const { return blocks_; }

 private:
  friend Attended attend_within(const Attention& how, Lookup lookup, Pass& pass);
  Pass& pass_;
  SelfWeights* before_;
  std::vector<Tensor> blocks_;
};

/// `attend` for rows that look at each other. Being looked at does not change the context.
Attended attend_within(const Attention& how, Lookup lookup, Pass& pass);

}  // namespace heed
