#include "heed/text/typing.h"

#include <utf8proc.h>

#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// The character of a plain keyboard that stands for `code`.
char32_t plain_quote(char32_t code) {
  switch (code) {
    case U'‘':
    case U'’':
    case U'‚':
    case U'‛':
    case U'ʼ':
    case U'＇':
      return U'\'';
    case U'“':
    case U'”':
    case U'„':
    case U'‟':
    case U'＂':
      return U'"';
    default:
      return code;
  }
}

}  // namespace

std::string with_plain_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t code : code_points(text)) {
    append_utf8(out, plain_quote(code));
  }
  return out;
}

std::string without_shouting(std::string_view text) {
  const std::u32string codes = code_points(text);
  int capitals = 0;
  for (const char32_t code : codes) {
    const auto letter = static_cast<utf8proc_int32_t>(code);
    if (utf8proc_toupper(letter) != letter) {
      return std::string(text);  // a small letter
    }
    capitals += utf8proc_tolower(letter) != letter ? 1 : 0;
  }
  return capitals < 2 ? std::string(text) : to_utf8(lower(codes));
}

}  // namespace heed
