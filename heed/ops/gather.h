// Rows chosen by index. An index of −1 chooses no row: it gives zeros and gets no gradient.
//
//   gather_rows    y[b, n, :] = x[b, index[b, n], :]        dx[b, index[b, n], :] += dy[b, n, :]
//   pick           y[n] = x[n, index[n]]                    dx[n, index[n]] += dy[n]
//
// Sums run in the order of n, so repeated indices give the same bits in every run.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// x [B, R, D] with index i32 [B, N] → [B, N, D], or x [R, D] with index [N] → [N, D].
Tensor gather_rows(const Tensor& x, const Tensor& index);

/// The same in another element type, f32 or bf16: activations from a table of masters.
Tensor gather_rows(const Tensor& x, const Tensor& index, DType as);

/// x [N, V], index i32 [N] → [N].
Tensor pick(const Tensor& x, const Tensor& index);

}  // namespace heed
