// The result of all focuses together.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// Tensors are [M, G or 1, P or 1, R].
struct Where {
  Tensor lo;  // slots lo ≤ j < hi are open
  Tensor hi;
  Tensor count;  // n_i: slots after lengths and causality, before any window
  Tensor bias;   // added to the scores, broadcasts to [M, G, P, R, S]; undefined: none
  Tensor centre;  // weights are multiplied by exp(−(j − centre)² / 2σ²); undefined: they are not
  double sigma = 0;
};

}  // namespace heed
