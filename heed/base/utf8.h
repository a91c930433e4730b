// How long the UTF-8 sequence at the start of some bytes is (RFC 3629, section 4).
#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

/// 1 to 4, or 0 where the bytes are not UTF-8: stray or missing continuation, overlong, surrogate,
/// above U+10FFFF, empty.
constexpr std::size_t utf8_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  const auto within = [](unsigned value, unsigned least, unsigned most) {
    return value >= least && value <= most;
  };
  const auto continues = [&](std::size_t i) { return within(byte(i), 0x80, 0xBF); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return bytes.empty() ? 0 : 1;
  }
  if (within(first, 0xC2, 0xDF)) {
    return continues(1) ? 2 : 0;
  }
  if (within(first, 0xE0, 0xEF)) {
    const bool second = within(byte(1), first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && continues(2) ? 3 : 0;
  }
  if (within(first, 0xF0, 0xF4)) {
    const bool second = within(byte(1), first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace heed
