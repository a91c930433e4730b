// "我有3.5元。" → 我 有 3.5 元 。: ideographs, full-width forms and their punctuation are split one
// by one, the rest as in 13a, except that entities stay.
//
// The ranges are those that sacreBLEU's zh in fact compares. Two of its bounds were meant to be
// beyond U+FFFF, but Python reads them as U+2000 and U+2F80 followed by a digit. So U+2001 to
// U+2A6D (curly quotes, dashes, arrows, …) are split off, and the ideographs from U+20000 on are
// not.
#include <algorithm>
#include <array>

#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"
#include "heed/metric/western_punctuation.h"

namespace heed {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool is_chinese(char32_t code) {
  constexpr std::array ranges = {
      Range{0x2001, 0x2A6D},  // see above; all of U+2600 to U+27BF too
      Range{0x2E80, 0x2EFF},  // radicals
      Range{0x2F00, 0x2FDF},  // Kangxi radicals; U+2F81 to U+2FA1 among them
      Range{0x2FF0, 0x303F},  // structure of ideographs, punctuation
      Range{0x3100, 0x312F},  // Bopomofo
      Range{0x31A0, 0x31BF},  // its extension
      Range{0x31C0, 0x31EF},  // strokes
      Range{0x3200, 0x33FF},  // enclosed and squared
      Range{0x3400, 0x4DB5},  // ideographs, extension A
      Range{0x4E00, 0x9FBB},  // ideographs
      Range{0xF900, 0xFA2D},  // compatibility ideographs
      Range{0xFA30, 0xFA6A}, Range{0xFA70, 0xFAD9}, Range{0xFE10, 0xFE1F},  // vertical forms
      Range{0xFE30, 0xFE4F}, Range{0xFF00, 0xFFEF},                         // full and half width
  };
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

class Chinese : public Tokenisation {
 public:
  std::string_view name() const override { return "zh"; }

  std::vector<std::u32string> tokens(std::u32string_view line) const override {
    return split_at_blanks(set_western_punctuation_apart(set_apart(strip(line), is_chinese)));
  }
};

}  // namespace

std::unique_ptr<Tokenisation> chinese() { return std::make_unique<Chinese>(); }

}  // namespace heed
