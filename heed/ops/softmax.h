// Functions over the last axis. m is the row's maximum, so no exponential overflows.
//
//   softmax      y_j = e^(x_j − m) / Σ_k e^(x_k − m)         dx = y (dy − Σ_k dy_k y_k)
//   log_softmax  y_j = x_j − m − ln Σ_k e^(x_k − m)          dx = dy − e^y Σ_k dy_k
//
// An entry of −∞ counts as missing: softmax gives it 0, log_softmax −∞, and its gradient is 0. A
// row of −∞ only gives zeros (log_softmax: −∞) and has no gradient.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

}  // namespace heed
