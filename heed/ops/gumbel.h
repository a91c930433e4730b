// Gumbel noise: −ln(−ln u), u uniform in (0, 1) by the key. argmax(ln w + noise) draws from w
// (Gumbel 1954), and softmax((ln w + noise) / τ) is its smooth form (Jang, Gu and Poole 2017).
#pragma once

#include "heed/tensor/draw_key.h"

namespace heed {

/// Noise of x's shape and place, without a gradient.
Tensor gumbel_like(const Tensor& x, const DrawKey& key);

/// Noise [rows, heads, width] in which each row has its own key, i32 [rows, 3]
/// (Backend::random_rows).
Tensor gumbel_rows(const Shape& shape, const RandomKey& key, const Tensor& row_keys,
                   const Place& place);

}  // namespace heed
