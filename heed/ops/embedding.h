// One row of a table per id, ids of any shape; an id of −1 gives zeros.
//
//   y[…, :] = table[ids[…], :]        dtable[ids[…], :] += dy[…, :], in order of the ids
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// table [V, D], ids i32 […] → […, D].
Tensor embedding(const Tensor& table, const Tensor& ids);
/// The same in another element type, f32 or bf16.
Tensor embedding(const Tensor& table, const Tensor& ids, DType as);

}  // namespace heed
