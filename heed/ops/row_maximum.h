// Keeps the exponentials of a row in range when some or all of its entries are −∞. Private to this
// layer; nothing here is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x with −∞ raised to the lowest finite number, so that −∞ − x is −∞ and never NaN.
Tensor finite_above(const Tensor& x);

/// The maximum of each row of x [N, D], [N, 1], finite even where a row is empty or all −∞.
Tensor row_maximum(const Tensor& x);

/// Σ_k e_k of rows e = e^(x − m). It is at least 1, because of the maximum itself, and is set to 1
/// where a row has no entry, so that dividing by it gives zeros.
Tensor row_total(const Tensor& e);

}  // namespace heed
