// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF, no sequence
// cut short.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// One code point and the number of bytes it took; length 0 marks bytes that are not UTF-8.
struct CodePoint {
  char32_t code = 0;
  std::size_t length = 0;
};

/// Decodes the code point that starts at `position`, which must lie inside `bytes`.
CodePoint decode_utf8(std::string_view bytes, std::size_t position);

/// The byte position of the first sequence that is not UTF-8; nothing where all of it is.
std::optional<std::size_t> find_invalid_utf8(std::string_view bytes);

/// Throws an Error of kind `file` that names the offending byte and its position.
void check_utf8(std::string_view who, std::string_view bytes);

/// Throws where `bytes` is not UTF-8.
std::u32string code_points(std::string_view bytes);

/// Throws where a code is a surrogate or above U+10FFFF.
void append_utf8(std::string& out, char32_t code);
std::string to_utf8(std::u32string_view codes);

/// What a reader calls one character (UAX #29 extended grapheme clusters); the views point into
/// `text`.
std::vector<std::string_view> graphemes(std::string_view text);

/// Canonical composition: "e" + U+0301 → "é".
std::string nfc(std::string_view text);

/// Unicode's White_Space property.
bool is_white_space(char32_t code);

}  // namespace heed
