#include "heed/base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace heed::utf8_test {
namespace {

// By the definition: decode, and ask whether that code point is written in just these bytes.
std::size_t length_by_decoding(std::string_view bytes) {
  for (std::size_t length = 1; length <= 4 && length <= bytes.size(); ++length) {
    std::uint32_t point = static_cast<unsigned char>(bytes[0]);
    point &= length == 1 ? 0xFF : 0xFFU >> (length + 1);
    for (std::size_t i = 1; i < length; ++i) {
      point = point << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
    }
    std::string encoded;
    if (point < 0x80) {
      encoded = {static_cast<char>(point)};
    } else if (point < 0x800) {
      encoded = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
    } else if (point < 0x10000) {
      encoded = {static_cast<char>(0xE0 | point >> 12),
                 static_cast<char>(0x80 | (point >> 6 & 0x3F)),
                 static_cast<char>(0x80 | (point & 0x3F))};
    } else {
      encoded = {
          static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3F)),
          static_cast<char>(0x80 | (point >> 6 & 0x3F)), static_cast<char>(0x80 | (point & 0x3F))};
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (encoded == bytes.substr(0, length) && !surrogate && point <= 0x10FFFF) {
      return length;
    }
  }
  return 0;
}

// All sequences of four bytes from those where the rules change.
TEST(Utf8, EverySequenceOfEdgeBytes) {
  const std::string edges(
      "\x00\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xFF", 21);
  std::string bytes(4, '\0');
  for (std::size_t number = 0; number < 21UL * 21 * 21 * 21; ++number) {
    std::size_t rest = number;
    for (char& byte : bytes) {
      byte = edges[rest % edges.size()];
      rest /= edges.size();
    }
    ASSERT_EQ(utf8_length(bytes), length_by_decoding(bytes)) << number;
  }
}

TEST(Utf8, SequencesCutShort) {
  for (const std::string whole : {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(utf8_length(whole), whole.size());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(utf8_length(std::string_view(whole).substr(0, size)), 0U);
    }
  }
}

}  // namespace
}  // namespace heed::utf8_test
