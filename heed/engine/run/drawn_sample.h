// What a run shows of a reply while it trains: the text and a drawing of the attention, which is
// a heat map, the weights over a picture, or the weights under a spectrogram.
#pragma once

#include "heed/engine/answer/answer.h"
#include "heed/train/record.h"
#include "heed/train/run_hooks.h"

namespace heed {

/// Words of a reply that are drawn. A model that has hardly learnt may go on without an end.
inline constexpr size_t most_drawn_words = 60;

/// `cell` is the line that was answered. Where there is nothing to draw, or the drawing fails
/// because it would be too large, the sample has its text alone and the hooks hear why.
Sample drawn_sample(const Reply& reply, const TrainedModel& trained, const std::string& cell,
                    const RunHooks& hooks);

}  // namespace heed
