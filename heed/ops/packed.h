// A matrix in the form that its backend multiplies, and operands rounded to a precision.
//
// A backend without packed products computes the same from plain ones: operands are first rounded
// (bf16) or brought to whole multiples of a scale for each row (int8).
#pragma once

#include <string>
#include <vector>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// "f32", "bf16", "int8"
const std::vector<std::string>& precision_names();
Precision precision_named(const std::string& name);

/// x rounded to bf16, or in each row to 127 steps on either side of zero, as f32 (or f64).
Tensor rounded_to_bf16(const Tensor& x);
Tensor rounded_to_int8(const Tensor& rows);
/// x rounded to this precision; x itself for f32.
Tensor rounded(const Tensor& x, Precision precision);

/// Whether the backend multiplies packed matrices of this element type.
bool has_packed_products(const Place& place);
/// A packed matrix [N, K] at this place.
Tensor packed(const View& matrix, const Place& place, Precision precision);

}  // namespace heed
