// A text as it is cut into subwords: characters mapped, blanks marked as ▁, a blank put before it,
// blanks at both ends and all but one of a run taken away (as the model says).
#pragma once

#include <string>
#include <string_view>

#include "heed/text/subword/character_map.h"
#include "heed/text/subword/piece_model.h"

namespace heed {

/// `text` is UTF-8.
std::string normalised(std::string_view text, const PieceModel& model, const CharacterMap& map);

}  // namespace heed
