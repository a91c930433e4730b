#include "heed/text/subword/byte_letters.h"

#include <array>

#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr char32_t first_other = 0x100;

constexpr bool is_its_own(std::uint32_t byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

struct ByteLetters {
  std::array<std::string, 256> of_byte;
  std::array<std::uint8_t, 256> of_other{};  // the bytes that are U+0100, U+0101, …
  std::uint32_t others = 0;
};

const ByteLetters& letters() {
  static const ByteLetters all = [] {
    ByteLetters made;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      char32_t code = byte;
      if (!is_its_own(byte)) {
        made.of_other[made.others] = static_cast<std::uint8_t>(byte);
        code = first_other + made.others++;
      }
      append_utf8(made.of_byte[byte], code);
    }
    return made;
  }();
  return all;
}

}  // namespace

std::string_view letter_of_byte(std::uint8_t byte) { return letters().of_byte[byte]; }

std::optional<std::uint8_t> byte_of_letter(char32_t letter) {
  if (letter < first_other) {
    return is_its_own(letter) ? std::optional(static_cast<std::uint8_t>(letter)) : std::nullopt;
  }
  const std::uint32_t other = letter - first_other;
  return other < letters().others ? std::optional(letters().of_other[other]) : std::nullopt;
}

std::string bytes_of_letters(std::string_view token) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size();) {
    const CodePoint letter = decode_utf8(token, at);
    const auto byte = letter.length == 0 ? std::nullopt : byte_of_letter(letter.code);
    if (!byte) {
      return std::string(token);
    }
    bytes += static_cast<char>(*byte);
    at += letter.length;
  }
  return bytes;
}

}  // namespace heed
