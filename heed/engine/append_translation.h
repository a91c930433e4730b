// Joins the translations of the pieces of a line.
#pragma once

#include "heed/engine/translation.h"

namespace heed {

/// Appends `more` to `out`, whose end tokens are dropped, except the text. The weights become
/// block-diagonal, because each piece attends only to itself; word links stay pairs.
void append(Translation& out, const Translation& more);

}  // namespace heed
