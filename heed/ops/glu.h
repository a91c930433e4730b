// Gated linear unit (Dauphin et al. 2017): x = [a, b], halves of the last axis, s = σ(b).
//
//   y = a ⊙ s        da = dy ⊙ s        db = dy ⊙ a ⊙ s ⊙ (1 − s)
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x […, 2D] → […, D].
Tensor glu(const Tensor& x);

}  // namespace heed
