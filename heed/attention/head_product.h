// y_h = x_h W_h for every head h. All memories and rows of a head form one tall matrix, so that W_h
// is read once and its gradient is one product instead of a sum over memories.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

class Products;

/// x [M, h…, R, d], weight [h…, d, A] → [M, h…, R, A]
Tensor head_product(const Tensor& x, const Tensor& weight, Products* products = nullptr);

}  // namespace heed
