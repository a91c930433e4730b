// Decoding that only moves forwards, for any model whose decoder writes one word after the other: its
// attention to the source gets the focus `monotonic`, whatever it was trained with. The slots before the
// last step's peak are closed to every head.
#pragma once

#include "heed/model/model.h"

namespace heed {

/// Fault::usage if the main decoder does not write one word after the other or does not attend.
void look_forwards_only(Model& model);

}  // namespace heed
