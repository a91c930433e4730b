#include "heed/text/display_width.h"

#include <gtest/gtest.h>

namespace heed::display_width_test {
namespace {

TEST(DisplayWidth, ColumnsAsATerminalDrawsThem) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("中文"), 4U);
  EXPECT_EQ(display_width("，"), 2U);
  EXPECT_EQ(display_width("ｱ"), 1U);   // half-width katakana
  EXPECT_EQ(display_width("Ａ"), 2U);  // full-width Latin
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("한글"), 4U);
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2U);  // one syllable from three jamo
  EXPECT_EQ(display_width("😀"), 2U);
  EXPECT_EQ(display_width("👩‍👩‍👧"), 2U);
  EXPECT_EQ(display_width("👍🏽"), 2U);
  EXPECT_EQ(display_width("🇨🇳"), 2U);
  EXPECT_EQ(display_width("❤"), 1U);
  EXPECT_EQ(display_width("❤\uFE0F"), 2U);
}

TEST(DisplayWidth, Padding) {
  EXPECT_EQ(pad_right("中", 4), "中  ");
  EXPECT_EQ(pad_left("中", 4), "  中");
  EXPECT_EQ(pad_left("abc", 2), "abc");
}

TEST(DisplayWidth, ShortenKeepsWholeClusters) {
  EXPECT_EQ(shorten("agreement", 9), "agreement");
  EXPECT_EQ(shorten("agreement", 5), "agre…");
  EXPECT_EQ(shorten("中文字", 4), "中…");  // the second would need a fifth column with the ellipsis
  EXPECT_EQ(shorten("中文字", 5), "中文…");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
  for (std::size_t columns = 0; columns < 12; ++columns) {
    EXPECT_LE(display_width(shorten("a中e\u0301👩‍👩‍👧xyz字", columns)), columns);
  }
}

}  // namespace
}  // namespace heed::display_width_test
