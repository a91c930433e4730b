#include "heed/see/font.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/text/utf8.h"

namespace heed::font_test {
namespace {

/// How much is covered in all, in pixels, and the box around it.
struct Ink {
  double area = 0;
  int grey = 0;  // pixels that are covered in part
  int left = 1 << 20;
  int right = -(1 << 20);
  int top = 1 << 20;
  int bottom = -(1 << 20);
};

Ink ink_of(std::string_view text, const Pen& pen) {
  Ink ink;
  Font font;
  font.write(text, pen, [&](int x, int y, double cover) {
    ink.area += cover;
    ink.grey += cover > 0.05 && cover < 0.95 ? 1 : 0;
    ink.left = std::min(ink.left, x);
    ink.right = std::max(ink.right, x + 1);
    ink.top = std::min(ink.top, y);
    ink.bottom = std::max(ink.bottom, y + 1);
  });
  return ink;
}

TEST(Font, HasWhatHeedDrawsAndTheChineseOfEverydayTexts) {
  const Font font;
  for (const char32_t code : code_points("AZaz09éßЯαΣ√→↓␣⏎…–·%±°あア。，？！中国我们图书馆龟⟨⟩▁")) {
    EXPECT_TRUE(font.has(code)) << to_utf8(std::u32string(1, code));
  }
  for (const char32_t code : {U'\U0001F44D', U'\uE000', U'가', U'\x01', U'\U0010FFFF'}) {
    EXPECT_FALSE(font.has(code)) << static_cast<std::uint32_t>(code);
  }
}

// From the tables of the font, as fontTools reads them: advances in 2048ths of the size, areas by integrating the outlines.
TEST(Font, WidthsAndAreasAreThoseOfTheOutlines) {
  Font font;
  EXPECT_NEAR(font.width("A", 2048), 1245, 0.5);
  EXPECT_NEAR(font.width("i", 2048), 530, 0.5);
  EXPECT_NEAR(font.width("中", 2048), 2048, 0.5);
  EXPECT_NEAR(font.width("Ai中", 14), (1245 + 530 + 2048) * 14.0 / 2048, 0.02);
  EXPECT_NEAR(ink_of("A", {.x = 10.3, .y = 200.7, .px = 200}).area, 0.139739 * 200 * 200, 20);
  EXPECT_NEAR(ink_of("l", {.px = 100}).area, 0.067518 * 100 * 100, 5);
}

TEST(Font, LinesRiseAndKeepTheirInk) {
  const Pen flat{.x = 50, .y = 300, .px = 40};
  Pen rising = flat;
  rising.rises = true;
  const Ink before = ink_of("Attention 注意力", flat);
  const Ink after = ink_of("Attention 注意力", rising);
  EXPECT_NEAR(after.area, before.area, 0.01 * before.area);
  Font font;
  const double along = font.width("Attention 注意力", 40) * std::sqrt(0.5);
  EXPECT_NEAR(after.right - after.left, along, 40);
  EXPECT_NEAR(after.bottom - after.top, along, 40);
  EXPECT_LE(after.bottom, 310);  // up, not down
  EXPECT_LT(before.bottom - before.top, 50);
  EXPECT_GT(before.grey, 300);  // smooth edges
}

TEST(Font, BoldIsHeavierAndALetterWithItsMarkIsOne) {
  EXPECT_GT(ink_of("heed", {.px = 30, .is_bold = true}).area,
            1.1 * ink_of("heed", {.px = 30}).area);
  Font font;
  EXPECT_EQ(font.width("e\u0301", 20), font.width("é", 20));
  EXPECT_EQ(ink_of("e\u0301", {.px = 20}).area, ink_of("é", {.px = 20}).area);
}

TEST(Font, WhatItLacksIsABoxWithTheNumber) {
  const Ink thumb = ink_of("👍", {.px = 40});
  EXPECT_GT(thumb.area, 50);
  EXPECT_NE(thumb.area, ink_of("👎", {.px = 40}).area);  // other digits
  Font font;
  EXPECT_EQ(font.width("👩‍👩‍👧‍👦", 40), font.width("👍", 40));
  EXPECT_EQ(font.width("", 40), 0);
  EXPECT_THROW(font.width("\xFF\xC3", 40), Error);  // labels are made visible first
}

}  // namespace
}  // namespace heed::font_test
