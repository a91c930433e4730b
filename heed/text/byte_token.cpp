#include "heed/text/byte_token.h"

#include <fmt/format.h>

#include <charconv>

#include "heed/text/utf8.h"

namespace heed {

std::string byte_token(std::uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<std::uint8_t> byte_of_token(std::string_view token) {
  std::uint8_t byte = 0;
  if (token.size() != 6 || !token.starts_with("<0x")) {
    return std::nullopt;
  }
  std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  return byte_token(byte) == token ? std::optional(byte) : std::nullopt;
}

std::string repaired_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, at).length;
    out += length == 0 ? "\uFFFD" : std::string(bytes.substr(at, length));
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace heed
