// Dropout (Srivastava et al. 2014): each element is kept with probability 1 − p and scaled, so that
// its mean stays the same.
//
//   y = x k / (1 − p),   k = [u ≥ p],   u uniform by the key;   dx = dy k / (1 − p)
//
// The mask is not kept: backward draws the same numbers again.
#pragma once

#include "heed/tensor/draw_key.h"

namespace heed {

/// 0 ≤ p < 1; p = 0 gives x itself.
Tensor dropout(const Tensor& x, double p, const DrawKey& key);

/// Its gradient: dy where x was kept, / (1 − p).
Tensor dropout_gradient(const Tensor& dy, double p, const DrawKey& key);

}  // namespace heed
