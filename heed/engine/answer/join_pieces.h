// Joins the translations of the pieces of a line.
#pragma once

#include "heed/engine/answer/answer.h"

namespace heed {

/// Appends `more` to `out`, except the text. The end tokens of `out` are dropped, so that there is one end, the last. A piece attends only
/// to itself, so the weights are 0 outside of blocks on the diagonal, but for the last column: there a row has what it gave to the end of
/// its own piece, and its weights still add up. Word links stay pairs and move in the same way.
void append(Translation& out, const Translation& more);

}  // namespace heed
