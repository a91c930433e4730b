// The letters by which GPT-2 spells bytes, so that every token is a text without blanks. The bytes
// of printable Latin-1 (33 to 126, 161 to 172, 174 to 255) are their own letters; the 68 others are
// U+0100, U+0101, … in their order, such as Ġ (U+0120) for a blank and Ċ (U+010A) for a line's end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

/// The letter of a byte, in UTF-8.
std::string_view letter_of_byte(std::uint8_t byte);

/// The byte whose letter this is.
std::optional<std::uint8_t> byte_of_letter(char32_t letter);

/// The bytes that a token spells. One with a character that is no such letter stands for itself.
std::string bytes_of_letters(std::string_view token);

}  // namespace heed
