// Rows [N, D] ↔ grid [B, W, D], for what needs time as a separate axis. Padding of the grid is
// zero.
#pragma once

#include "heed/tensor/layout.h"

namespace heed {

/// rows [N, …] → [B, W, …]; cells beyond a sequence's length are zero.
Tensor to_grid(const Tensor& rows, const Layout& layout);
/// grid [B, W, …] → [N, …]; rows that no sequence uses are zero.
Tensor to_rows(const Tensor& grid, const Layout& layout);

}  // namespace heed
