#include "heed/text/utf8.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr char32_t last_code = 0x10FFFF;

bool is_surrogate(char32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

/// The length of the sequence that a lead byte begins; 0 for a byte that cannot lead.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// Whether the character is composed and does not change next to others of this kind: Latin up to
/// U+02FF, kana, Han and full-width forms.
bool is_inert(char32_t code) {
  return code < 0x300 || (code >= 0x3041 && code <= 0x3096) || (code >= 0x30A1 && code <= 0x30FA) ||
         (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3001 && code <= 0x3029) ||
         (code >= 0xFF01 && code <= 0xFF60);
}

/// True for most text, which then needs no call of utf8proc.
bool is_surely_composed(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.length == 0 || !is_inert(point.code)) {
      return false;
    }
    at += point.length;
  }
  return true;
}

std::string normalised(std::string_view who, std::string_view text, int options) {
  check_utf8(who, text);
  utf8proc_uint8_t* made = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                                   static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  require(length >= 0, "{}: utf8proc refuses the {} bytes of text ({}); pass shorter text", who,
          text.size(), utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

}  // namespace

CodePoint decode_utf8(std::string_view bytes, std::size_t position) {
  const auto lead = static_cast<unsigned char>(bytes[position]);
  const std::size_t length = announced_length(lead);
  if (length == 1) {
    return {lead, 1};
  }
  if (length == 0 || bytes.size() - position < length) {
    return {};
  }
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(bytes[position + i]);
    if ((next & 0xC0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || is_surrogate(code) || code > last_code) {
    return {};
  }
  return {code, length};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, at).length;
    if (length == 0) {
      return at;
    }
    at += length;
  }
  return std::nullopt;
}

void check_utf8(std::string_view who, std::string_view bytes) {
  if (const auto at = find_invalid_utf8(bytes)) {
    fail(Fault::file, "{}: byte 0x{:02X} at position {} is not UTF-8; convert the text to UTF-8",
         who, static_cast<unsigned char>(bytes[*at]), *at);
  }
}

std::u32string code_points(std::string_view bytes) {
  check_utf8("code_points", bytes);
  std::u32string codes;
  codes.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint one = decode_utf8(bytes, at);
    codes.push_back(one.code);
    at += one.length;
  }
  return codes;
}

void append_utf8(std::string& out, char32_t code) {
  require(code <= last_code && !is_surrogate(code),
          "append_utf8: saw {:#x}, needs a Unicode scalar value; pass a code up to 0x10ffff that "
          "is no surrogate",
          static_cast<std::uint32_t>(code));
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string to_utf8(std::u32string_view codes) {
  std::string out;
  out.reserve(codes.size());
  for (const char32_t code : codes) {
    append_utf8(out, code);
  }
  return out;
}

std::vector<std::string_view> graphemes(std::string_view text) {
  check_utf8("graphemes", text);
  std::vector<std::string_view> clusters;
  utf8proc_int32_t state = 0;
  char32_t before = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    if (at > 0 &&
        utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                         static_cast<utf8proc_int32_t>(one.code), &state)) {
      clusters.push_back(text.substr(start, at - start));
      start = at;
    }
    before = one.code;
    at += one.length;
  }
  if (start < text.size()) {
    clusters.push_back(text.substr(start));
  }
  return clusters;
}

std::string nfc(std::string_view text) {
  if (is_surely_composed(text)) {
    return std::string(text);
  }
  return normalised("nfc", text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

bool is_white_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x20 || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace heed
