// Aligns a pair that is too long for a matrix of all weights: the decoder is fed one word of the
// target after the other, and of each row of weights only the link is kept. So memory grows with
// the lengths, not with their product.
#pragma once

#include "heed/engine/answer/answer.h"

namespace heed {

/// Sets the word links and the log-probability of `out`, whose tokens are known. The decoder of the
/// model must be autoregressive and attend to the source.
void align_by_steps(const TrainedModel& trained, const Batch& batch, const AlignOptions& options,
                    Reply& out);

}  // namespace heed
