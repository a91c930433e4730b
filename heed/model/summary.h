// The mean of a sequence's rows, which is C for encoders without a final state.
#pragma once

#include "heed/tensor/layout.h"

namespace heed {

/// rows [N, D] → [B, D]; an empty sequence gives zeros.
Tensor mean_of_rows(const Tensor& rows, const Layout& layout);

}  // namespace heed
