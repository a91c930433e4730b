#include "heed/text/byte_token.h"

#include <string_view>

#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

}  // namespace

std::string byte_token(std::uint8_t byte) {
  return {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
}

std::optional<std::uint8_t> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') {
    return std::nullopt;
  }
  const std::size_t high = digits.find(token[3]);
  const std::size_t low = digits.find(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) {
    return std::nullopt;
  }
  return static_cast<std::uint8_t>(16 * high + low);
}

std::string repaired_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, at).length;
    out += length == 0 ? "\uFFFD" : bytes.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace heed
