// Where a decoder looked, out of what its blocks report.
#pragma once

#include <vector>

#include "heed/attention/attention.h"

namespace heed {

/// Weights [N, S] of the chosen block and head (−1: the mean of all) out of a decoder's reports
/// (each [N, H, S]); undefined where the decoder does not look at the source.
Tensor chosen_weights(const std::vector<Attended>& reports, int64_t block, int64_t head);

}  // namespace heed
