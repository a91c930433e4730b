// Root mean square normalisation (Zhang and Sennrich 2019), over the last axis of x [..., D].
//
//   r = 1 / √(mean x² + ε),  x̂ = x r,  y = w x̂
//
//   dx̂ = w dy,   dx = r (dx̂ − x̂ mean(dx̂ x̂)),   dw = Σ_rows dy x̂
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// weight [D], or undefined (1).
Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon = 1e-6);

}  // namespace heed
