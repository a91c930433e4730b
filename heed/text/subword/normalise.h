// Prepares a text for splitting into subwords: maps characters, marks blanks as ▁, adds a blank
// before it, and removes blanks at both ends and all but one of a run, as far as the model says so.
#pragma once

#include <string>
#include <string_view>

#include "heed/text/subword/character_map.h"
#include "heed/text/subword/piece_model.h"
#include "heed/text/subword/piece_trie.h"

namespace heed {

/// `text` is UTF-8. Where it has one of the `kept` pieces, it stays as it is.
std::string normalised(std::string_view text, const PieceModel& model, const CharacterMap& map,
                       const PieceTrie& kept);
/// The characters as they are mapped, with all of their blanks.
std::string mapped(std::string_view text, const CharacterMap& map);

}  // namespace heed
