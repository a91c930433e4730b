// Bitmaps of characters, 16 pixels high: GNU Unifont (docs/licences/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heed {

struct Glyph {
  int width = 0;                         // 8 or 16 pixels
  std::array<std::uint16_t, 16> rows{};  // the leftmost pixel is the highest of `width` bits

  bool at(int x, int y) const {
    return (rows[static_cast<std::size_t>(y)] >> (width - 1 - x) & 1U) != 0;
  }
};

/// Nothing where there is no bitmap of it (emoji, Hangul syllables). The first call unpacks the
/// table.
std::optional<Glyph> glyph(char32_t code);

/// As tools/glyphs.py writes it: base64 of zlib's stream, in parts.
std::span<const std::string_view> glyph_table();

}  // namespace heed
