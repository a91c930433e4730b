// How many terminal columns text takes: 2 for wide East Asian characters and emoji, 0 for combining
// marks, else 1.
//
//     width(cluster) = 2                          where U+FE0F asks for the emoji form
//                      min(2, Σ width(code))      otherwise: a joined family, a flag or a Hangul
//                      syllable is one glyph
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// The columns that `text` takes in a terminal; control characters take none, so make them visible
/// first.
std::size_t display_width(std::string_view text);

/// `text` with blanks after it (before it) up to `columns`; unchanged where it is wide enough.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

/// Cuts `text` to at most `columns`, between grapheme clusters; "…" ends what was cut.
std::string shorten(std::string_view text, std::size_t columns);

}  // namespace heed
