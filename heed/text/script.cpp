#include "heed/text/script.h"

#include <algorithm>
#include <array>

namespace heed {

bool is_unspaced(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr std::array ranges = {
      Range{0x0E00, 0x0EFF},    // Thai, Lao
      Range{0x1000, 0x109F},    // Burmese
      Range{0x1780, 0x17FF},    // Khmer
      Range{0x2E80, 0x312F},    // radicals, punctuation, kana, Bopomofo
      Range{0x31A0, 0x4DBF},    // strokes, enclosed and squared, ideographs
      Range{0x4E00, 0x9FFF},    // ideographs
      Range{0xF900, 0xFAFF},    // compatibility ideographs
      Range{0xFE30, 0xFE4F},    // their punctuation in vertical text
      Range{0xFF00, 0xFF9F},    // full-width forms, half-width kana
      Range{0xFFE0, 0xFFEF},    //
      Range{0x1B000, 0x1B16F},  // old kana
      Range{0x20000, 0x3FFFF},  // further ideographs
  };
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

}  // namespace heed
