#include "heed/text/utf8.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::utf8_test {
namespace {

using namespace std::string_literals;

/// RFC 3629 §4 as its grammar spells it, alternative by alternative: an oracle that shares nothing
/// with the decoder.
std::size_t grammar_length(std::string_view s) {
  const auto in = [&](std::size_t i, int low, int high) {
    return i < s.size() && static_cast<unsigned char>(s[i]) >= low &&
           static_cast<unsigned char>(s[i]) <= high;
  };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  if (in(0, 0x00, 0x7F)) {
    return 1;
  }
  if (in(0, 0xC2, 0xDF) && tail(1)) {
    return 2;
  }
  if ((in(0, 0xE0, 0xE0) && in(1, 0xA0, 0xBF) && tail(2)) ||
      (in(0, 0xE1, 0xEC) && tail(1) && tail(2)) ||
      (in(0, 0xED, 0xED) && in(1, 0x80, 0x9F) && tail(2)) ||
      (in(0, 0xEE, 0xEF) && tail(1) && tail(2))) {
    return 3;
  }
  if ((in(0, 0xF0, 0xF0) && in(1, 0x90, 0xBF) && tail(2) && tail(3)) ||
      (in(0, 0xF1, 0xF3) && tail(1) && tail(2) && tail(3)) ||
      (in(0, 0xF4, 0xF4) && in(1, 0x80, 0x8F) && tail(2) && tail(3))) {
    return 4;
  }
  return 0;
}

TEST(Utf8, AgreesWithTheGrammarOnAllLeadsAndEdgesOfTails) {
  const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
  for (int lead = 0; lead < 256; ++lead) {
    for (const unsigned char a : edges) {
      for (const unsigned char b : edges) {
        for (const unsigned char c : edges) {
          const char bytes[] = {static_cast<char>(lead), static_cast<char>(a), static_cast<char>(b),
                                static_cast<char>(c)};
          for (std::size_t n = 1; n <= 4; ++n) {
            const std::string_view text(bytes, n);
            ASSERT_EQ(decode_utf8(text, 0).length, grammar_length(text)) << lead << ' ' << int{a};
          }
        }
      }
    }
  }
}

TEST(Utf8, EveryCodePointSurvivesTheRoundTrip) {
  std::u32string all;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code < 0xD800 || code > 0xDFFF) {
      all.push_back(code);
    }
  }
  EXPECT_EQ(code_points(to_utf8(all)), all);
}

TEST(Utf8, EncodesKnownCharacters) {
  EXPECT_EQ(to_utf8(U"a\u00e9\u4e2d\U0001F600"), "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80");
  std::string out;
  EXPECT_THROW(append_utf8(out, 0xD800), Error);
  EXPECT_THROW(append_utf8(out, 0x110000), Error);
}

TEST(Utf8, ErrorNamesTheByteAndItsPosition) {
  EXPECT_EQ(find_invalid_utf8("中文"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("中\xFF"), 3U);
  EXPECT_EQ(find_invalid_utf8("ab\xE4\xB8"), 2U);  // cut short: the lead byte is to blame
  try {
    check_utf8("corpus", "ab\xC0\x80");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              "corpus: byte 0xC0 at position 2 is not UTF-8; convert the text to UTF-8"s);
    EXPECT_EQ(error.fault(), Fault::file);
  }
}

TEST(Utf8, GraphemesAreWhatAReaderCountsAsOne) {
  using Views = std::vector<std::string_view>;
  EXPECT_EQ(graphemes(""), Views{});
  EXPECT_EQ(graphemes("ab"), (Views{"a", "b"}));
  EXPECT_EQ(graphemes("e\u0301x"), (Views{"e\u0301", "x"}));
  EXPECT_EQ(graphemes("🇨🇳🇯🇵"), (Views{"🇨🇳", "🇯🇵"}));
  EXPECT_EQ(graphemes("👩‍👩‍👧中"), (Views{"👩‍👩‍👧", "中"}));
  EXPECT_EQ(graphemes("\r\n"), (Views{"\r\n"}));
  EXPECT_EQ(graphemes("\u1112\u1161\u11ab"), (Views{"\u1112\u1161\u11ab"}));
}

/// What does not go through utf8proc is what utf8proc would have left alone, whatever stands beside
/// it: its own answer is had by a mark in front that it must see.
TEST(Utf8, ComposedTextStaysAsItIs) {
  const std::string seen =
      "\u1E9B\u0323\n";  // goes through utf8proc; ends in a starter that never composes
  const std::string before = nfc(seen);
  for (char32_t code = 1; code < 0x11000; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) {
      continue;
    }
    std::string text;
    append_utf8(text, code);
    for (const std::string& line : {text, "e" + text + "か", "か" + text + "中"}) {
      ASSERT_EQ(before + nfc(line), nfc(seen + line)) << static_cast<uint32_t>(code);
    }
  }
}

TEST(Utf8, NormalForms) {
  EXPECT_EQ(nfc("e\u0301"), "é");
  EXPECT_EQ(nfc("ﬁ"), "ﬁ");
  EXPECT_EQ(nfc("a\0b"s), "a\0b"s);
  EXPECT_EQ(nfc(""), "");
  EXPECT_THROW(nfc("\xFF"), Error);
}

TEST(Utf8, WhiteSpace) {
  int count = 0;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    count += is_white_space(code) ? 1 : 0;
  }
  EXPECT_EQ(count, 25);  // PropList.txt: 25 code points are White_Space
  EXPECT_TRUE(is_white_space(U'\u3000'));
  EXPECT_FALSE(is_white_space(U'\u200B'));
}

}  // namespace
}  // namespace heed::utf8_test
