// One row of a table per id, ids of any shape; an id of −1 gives zeros.
//
//   y[…, :] = table[ids[…], :]        dtable[ids[…], :] += dy[…, :], in order of the ids
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

/// table [V, D], ids i32 […] → […, D].
Tensor embedding(const Tensor& table, const Tensor& ids);

}  // namespace heed
