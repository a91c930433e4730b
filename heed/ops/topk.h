// The k largest elements of the last axis, descending; ties go to the lower index.
//
//   values_i = x_(indices_i),   dx_j = dvalues_i where j = indices_i, else 0
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

struct TopK {
  Tensor values;   // [..., k]
  Tensor indices;  // [..., k], i32
};

/// x [..., D], k ≤ D.
TopK topk(const Tensor& x, int64_t k);

}  // namespace heed
