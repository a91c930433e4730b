// α-entmax for α = 2 (sparsemax) and 1.5, shared by the two normalisers.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// p over the last axis; −∞ gives 0 and a row of −∞ zeros. alpha is 2 or 1.5.
Tensor entmax(const Tensor& scores, double alpha);

}  // namespace heed
