// What layer_norm and rms_norm share. Private to this layer; nothing here is recorded.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// (1/D) Σ x of each row of x [N, D], [N, 1].
Tensor row_mean(const Tensor& x);

/// 1 / √((1/D) Σ x² + ε) of each row of x [N, D], [N, 1].
Tensor reciprocal_root_mean_square(const Tensor& x, double epsilon);

/// Fails unless `vector` is undefined or [D], D the last axis of x, at x's place.
void require_row_vector(const Tensor& vector, const Tensor& x, const char* who);

}  // namespace heed
