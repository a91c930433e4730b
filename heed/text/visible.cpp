#include "heed/text/visible.h"

#include <cstdint>

#include "heed/base/error.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

bool is_noncharacter(char32_t code) {
  return (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

/// Marks that reorder, break or hide text around them: bidi controls, line separators, the byte
/// order mark.
bool disturbs_layout(char32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || is_noncharacter(code);
}

/// Appends the picture or the name of a control character; false if it is another character.
bool append_control(std::string& out, char32_t code) {
  if (code < 0x20) {
    append_utf8(out, 0x2400 + code);
  } else if (code == 0x7F) {
    append_utf8(out, 0x2421);
  } else if (code >= 0x80 && code <= 0x9F) {
    out += fmt::format("⟨U+{:04X}⟩", static_cast<std::uint32_t>(code));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    const std::size_t length = one.length == 0 ? 1 : one.length;
    if (one.length == 0 || one.code == '\t' || !append_control(out, one.code)) {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string make_visible(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint one = decode_utf8(bytes, at);
    if (one.length == 0) {
      out += fmt::format("⟨{:02X}⟩", static_cast<unsigned char>(bytes[at]));
      ++at;
      continue;
    }
    if (disturbs_layout(one.code)) {
      out += fmt::format("⟨U+{:04X}⟩", static_cast<std::uint32_t>(one.code));
    } else if (!append_control(out, one.code)) {
      out += bytes.substr(at, one.length);
    }
    at += one.length;
  }
  return out;
}

}  // namespace heed
