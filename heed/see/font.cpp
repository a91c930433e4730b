#include "heed/see/font.h"

#include <fmt/format.h>
#include <freetype/freetype.h>
#include <freetype/ftoutln.h>
#include <ft2build.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "heed/base/error.h"
#include "heed/see/font_data.h"
#include "heed/text/display_width.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr double subpixels = 64;  // FreeType's unit of places
constexpr double fixed_one = 65536;

void must(FT_Error outcome, std::string_view what) {
  require(outcome == 0, "font: FreeType cannot {} (error {}); build heed anew", what, outcome);
}

/// A letter that is ready to be drawn.
struct Letter {
  FT_Face face = nullptr;
  FT_UInt index = 0;
};

/// What a written line needs at every letter.
struct Line {
  const Pen& pen;
  const Font::Dot& dot;
};

/// Where a point of the line of text, `along` it and `above` its baseline, lies on the page.
struct PagePoint {
  double x;
  double y;
};
PagePoint on_page(const Pen& pen, double along, double above) {
  if (!pen.rises) {
    return {pen.x + along, pen.y - above};
  }
  return {pen.x + rising_slope * (along - above), pen.y - rising_slope * (along + above)};
}

/// The pixels that a rendered letter covers.
void put_bitmap(const FT_GlyphSlotRec& slot, int left, int top, const Font::Dot& dot) {
  const FT_Bitmap& bitmap = slot.bitmap;
  for (unsigned y = 0; y < bitmap.rows; ++y) {
    const unsigned char* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (unsigned x = 0; x < bitmap.width; ++x) {
      if (row[x] != 0) {
        dot(left + static_cast<int>(x), top + static_cast<int>(y), row[x] / 255.0);
      }
    }
  }
}

}  // namespace

struct Font::Faces {
  FT_Library library = nullptr;
  std::array<FT_Face, 2> faces{};

  Faces() {
    must(FT_Init_FreeType(&library), "be started");
    const auto files = built_in_fonts();
    for (std::size_t i = 0; i < faces.size(); ++i) {
      must(FT_New_Memory_Face(library, files[i].data(), static_cast<FT_Long>(files[i].size()), 0,
                              &faces[i]),
           "read a font that is built in");
    }
  }
  ~Faces() { FT_Done_FreeType(library); }  // and its faces
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  /// Glyph 0 of the first font, a box, for what none has.
  Letter find(char32_t code) const {
    for (const FT_Face face : faces) {
      const FT_UInt index = FT_Get_Char_Index(face, code);
      if (index != 0) {
        return {face, index};
      }
    }
    return {faces[0], 0};
  }

  /// Makes the outline the slot's; how far the next letter is.
  static double load(const Letter& letter, double px) {
    must(FT_Set_Char_Size(letter.face, 0, std::lround(px * subpixels), 72, 72), "scale a letter");
    must(FT_Load_Glyph(letter.face, letter.index, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP),
         "load a letter");
    return static_cast<double>(letter.face->glyph->linearHoriAdvance) / fixed_one;
  }

  /// Draws one letter in the line; returns its advance.
  static double stamp(const Letter& letter, double px, double along, double above,
                      const Line& line) {
    const double advance = load(letter, px);
    const FT_GlyphSlot slot = letter.face->glyph;
    if (line.pen.is_bold) {
      FT_Outline_Embolden(&slot->outline, std::lround(px * subpixels / 24));
    }
    if (line.pen.rises) {
      const auto part = static_cast<FT_Fixed>(std::lround(rising_slope * fixed_one));
      const FT_Matrix turn{part, -part, part, part};
      FT_Outline_Transform(&slot->outline, &turn);
    }
    const PagePoint at = on_page(line.pen, along, above);
    const double left = std::floor(at.x);
    const double base = std::ceil(at.y);
    FT_Outline_Translate(&slot->outline, std::lround((at.x - left) * subpixels),
                         std::lround((base - at.y) * subpixels));
    must(FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL), "draw a letter");
    put_bitmap(*slot, static_cast<int>(left) + slot->bitmap_left,
               static_cast<int>(base) - slot->bitmap_top, line.dot);
    return advance;
  }

  /// A box with the number of the character in two lines: 1F4/44D.
  double stamp_number(char32_t code, double along, const Line& line) const {
    const double px = line.pen.px;
    const double advance = stamp(find(0), px, along, 0, line);
    const std::string digits = fmt::format("{:04X}", static_cast<std::uint32_t>(code));
    const std::size_t upper = digits.size() / 2;
    const double size = digits.size() > 4 ? 0.24 * px : 0.3 * px;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const Letter digit = find(static_cast<unsigned char>(digits[i]));
      const double wide = load(digit, size);
      const double count = static_cast<double>(i < upper ? upper : digits.size() - upper);
      const double place = static_cast<double>(i < upper ? i : i - upper) - count / 2;
      stamp(digit, size, along + advance / 2 + place * wide, (i < upper ? 0.4 : 0.1) * px, line);
    }
    return advance;
  }

  /// Draws a letter and its marks, or only measures them where there is no line; returns the advance.
  double cluster(std::string_view letters, double px, double along, const Line* line) const {
    double advance = 0;
    for (std::size_t at = 0; at < letters.size();) {
      const CodePoint one = decode_utf8(letters, at);
      const Letter letter = find(one.code);
      const bool is_first = at == 0;
      at += std::max<std::size_t>(one.length, 1);
      if (letter.index == 0) {
        if (is_first && display_width(letters) > 0) {
          return line != nullptr ? stamp_number(one.code, along, *line) : load(letter, px);
        }
        continue;  // joiners and selectors
      }
      advance += line != nullptr ? stamp(letter, px, along + advance, 0, *line) : load(letter, px);
    }
    return advance;
  }
};

Font::Font() : faces_(std::make_unique<Faces>()) {}
Font::~Font() = default;
Font::Font(Font&& other) noexcept = default;
Font& Font::operator=(Font&& other) noexcept = default;

bool Font::has(char32_t code) const { return faces_->find(code).index != 0; }

double Font::width(std::string_view text, double px) {
  double along = 0;
  const std::string composed = nfc(text);
  for (const std::string_view letters : graphemes(composed)) {
    along += faces_->cluster(letters, px, along, nullptr);
  }
  return along;
}

void Font::write(std::string_view text, const Pen& pen, const Dot& dot) {
  const Line line{pen, dot};
  double along = 0;
  const std::string composed = nfc(text);
  for (const std::string_view letters : graphemes(composed)) {
    along += faces_->cluster(letters, pen.px, along, &line);
  }
}

}  // namespace heed
