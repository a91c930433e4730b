// A curriculum: training begins with short examples, and longer ones join them (Bengio 2009; this form is
// Platanios 2019, "Competence-based curriculum learning").
//
//   c(t) = min(1, (c₀^p + (1 − c₀^p) t / T)^(1/p))
//
// At step t batches are made of the share c(t) of all examples that are shortest: c₀ of them at first, all from step T
// on. With p = 1 the share grows steadily; with a larger p it grows fast at first, when each example that joins is a
// small part of those that are there.
#pragma once

#include <cstdint>

#include "heed/config/described.h"

namespace heed {

struct Curriculum : Described {
  void describe(Describer& d) override;

  /// c(t).
  double share(std::int64_t step) const;

  std::int64_t steps = 0;  // T; 0: all examples from the first step on
  double from = 0.1;       // c₀
  double power = 2;        // p
};

}  // namespace heed
