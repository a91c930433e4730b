// Products of the same rows with several weights:
//
//   Y_i = X W_iᵀ + b_i
#pragma once

#include <span>
#include <vector>

#include "heed/ops/weight.h"

namespace heed {

class Products;

struct Projection {
  const Weight& weight;  // [D_i, D_in]
  const Tensor& bias;    // [D_i] or undefined
};

/// x […, D_in] → […, D_i] for each i. Weights that serve are multiplied in one call where the
/// backend has a kernel for that, with the bits of `linear`.
std::vector<Tensor> projections(const Tensor& x, std::span<const Projection> by,
                                Products* products = nullptr);

}  // namespace heed
