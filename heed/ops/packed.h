// Weights that are multiplied in less than f32, or packed once for many products.
//
// A weight that was given a precision keeps a packed form beside its memory, made when it is first
// needed and again when the weight has been written anew. bf16 serves training too: both operands
// are rounded, sums and masters stay f32. int8 and packed f32 serve where nothing is recorded.
//
// A backend without packed products computes the same from plain ones (ops/weight_products.h):
// operands are rounded (bf16) or brought to whole multiples of a scale a row (int8) first.
#pragma once

#include <string>
#include <vector>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Products with this parameter [N, K] run in `precision` from now on.
void set_precision(const Tensor& weight, Precision precision);
/// Nothing that was set: f32, as the weight lies.
Precision precision_of(const Tensor& weight);

/// "f32", "bf16", "int8"
const std::vector<std::string>& precision_names();
Precision precision_named(const std::string& name);

/// x rounded to bf16, and to 127 steps either side of zero a row, as f32 (or f64).
Tensor rounded_to_bf16(const Tensor& x);
Tensor rounded_to_int8(const Tensor& rows);

/// Whether products with this weight go through a form packed beside it.
bool has_packed_form(const Tensor& weight);
/// That form of the weight (or its transpose), of the weight as it is now.
Tensor packed_form(const Tensor& weight, bool is_turned);
/// Whether the backend multiplies packed matrices of this tensor's type.
bool has_packed_products(const Tensor& weight);
/// A matrix [N, K] where `from` lives, packed.
Tensor packed(const Tensor& from, const View& matrix, Precision precision);

}  // namespace heed
