// Weights that are multiplied in less than f32, or packed once for many products.
//
// A weight with a precision has a packed form, which is made when it is first needed and again when
// the weight has changed. bf16 is also for training: both operands are rounded, sums and master
// weights stay f32. int8 and packed f32 are used where nothing is recorded.
//
// A backend without packed products computes the same from plain ones (ops/weight_products.h):
// operands are first rounded (bf16) or brought to whole multiples of a scale for each row (int8).
#pragma once

#include <string>
#include <vector>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Products with this parameter [N, K] run in `precision` from now on.
void set_precision(const Tensor& weight, Precision precision);
/// f32 if none was set.
Precision precision_of(const Tensor& weight);

/// "f32", "bf16", "int8"
const std::vector<std::string>& precision_names();
Precision precision_named(const std::string& name);

/// x rounded to bf16, or in each row to 127 steps on either side of zero, as f32 (or f64).
Tensor rounded_to_bf16(const Tensor& x);
Tensor rounded_to_int8(const Tensor& rows);

/// Whether products with this weight use its packed form.
bool has_packed_form(const Tensor& weight);
/// The packed form of the present weight (or its transpose).
Tensor packed_form(const Tensor& weight, bool is_turned);
/// Whether the backend multiplies packed matrices of this tensor's type.
bool has_packed_products(const Tensor& weight);
/// A packed matrix [N, K], at the place of `from`.
Tensor packed(const Tensor& from, const View& matrix, Precision precision);

}  // namespace heed
