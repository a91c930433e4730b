// Rows divided by their norm; a norm of 0 is replaced by ε, without a gradient:
//
//   y = x / ‖x‖        dx = (dy − y yᵀdy) / ‖x‖
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// Over the last axis.
Tensor unit_rows(const Tensor& x, double epsilon);

}  // namespace heed
