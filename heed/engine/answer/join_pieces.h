// Joins the replies to the pieces of a source.
#pragma once

#include <span>

#include "heed/engine/answer/source_pieces.h"

namespace heed {

/// Appends `more` to `out`, except the text. The end tokens of `out` are dropped, so that there is
/// one end, the last. A piece attends only to itself, so the weights are 0 outside of blocks on the
/// diagonal, but for the last column: there a row has what it gave to the end of its own piece, and
/// its weights still add up. Word links stay pairs and move in the same way.
void append(Reply& out, const Reply& more);

/// The replies to one source, whose pieces these are.
Replies put_together(std::span<const Piece> pieces, const TrainedModel& trained,
                     const AnswerOptions& options);

}  // namespace heed
