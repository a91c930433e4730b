// The attention weights of a decoder, chosen from what its blocks report.
#pragma once

#include <vector>

#include "heed/attention/attention.h"

namespace heed {

/// The weights [N, S] of one block and head (−1: the mean of all) from a decoder's reports (each
/// [N, H, S]); undefined where the decoder does not attend to the source.
Tensor chosen_weights(const std::vector<Attended>& reports, int64_t block, int64_t head);

/// Whether there is such a block and head.
bool has_weights(const std::vector<Attended>& reports, int64_t block, int64_t head);

}  // namespace heed
