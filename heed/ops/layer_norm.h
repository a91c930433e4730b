// Layer normalisation (Ba, Kiros and Hinton 2016), over the last axis of x [..., D].
//
//   μ = mean x,  r = 1 / √(mean (x − μ)² + ε),  x̂ = (x − μ) r,  y = w x̂ + b
//
//   dx̂ = w dy,   dx = r (dx̂ − mean dx̂ − x̂ mean(dx̂ x̂)),   dw = Σ_rows dy x̂,   db = Σ_rows dy
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// weight and bias [D], each may be undefined (1 and 0).
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);

}  // namespace heed
