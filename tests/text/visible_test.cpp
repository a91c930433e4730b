#include "heed/text/visible.h"

#include <gtest/gtest.h>

#include "heed/text/utf8.h"

namespace heed::visible_test {
namespace {

using namespace std::string_literals;

TEST(Visible, PlainTextIsUnchanged) {
  for (const char* text : {"", "naïve café", "中文，好", "👩‍👩‍👧", "a b"}) {
    EXPECT_EQ(make_visible(text), text);
  }
}

TEST(Visible, WhatMovesHidesOrReordersIsSpelledOut) {
  EXPECT_EQ(make_visible("a\nb\tc\x1b[31m"), "a␊b␉c␛[31m");
  EXPECT_EQ(make_visible("\0\x7f"s), "␀␡");
  EXPECT_EQ(make_visible("\u0085\u202Ex\uFEFF\u2028"), "⟨U+0085⟩⟨U+202E⟩x⟨U+FEFF⟩⟨U+2028⟩");
  EXPECT_EQ(make_visible("\uFFFE"), "⟨U+FFFE⟩");
  EXPECT_EQ(make_visible("a\xFFz\xE4\xB8"), "a⟨FF⟩z⟨E4⟩⟨B8⟩");
}

TEST(Visible, AnyTwoBytesBecomePrintableText) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string shown =
          make_visible(std::string{static_cast<char>(a), static_cast<char>(b)});
      ASSERT_EQ(find_invalid_utf8(shown), std::nullopt);
      for (const char byte : shown) {
        ASSERT_TRUE(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F) << a << ' ' << b;
      }
    }
  }
}

TEST(OnOneLine, ChangesControlCharactersOnly) {
  EXPECT_EQ(on_one_line("a\nb\r\x1b[31m\u0085"), "a␊b␍␛[31m⟨U+0085⟩");
  EXPECT_EQ(on_one_line("\0\x7f"s), "␀␡");
  for (const std::string text : {"a\tb", "שלום\u200F, سلام\u200E!", "中文", "\xFF"}) {
    EXPECT_EQ(on_one_line(text), text);
  }
}

}  // namespace
}  // namespace heed::visible_test
