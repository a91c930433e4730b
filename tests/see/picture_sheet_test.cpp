#include "heed/see/picture_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/media/decode_picture.h"

namespace heed::test::picture_sheet_test {
namespace {

using ::testing::HasSubstr;

/// One colour, 8 × 8; a grid of 2 × 4 cells whose weights are 0, 1, 2, … for each of the words.
PictureSheet sheet_of(std::vector<std::string> words) {
  PictureSheet sheet;
  sheet.picture = plain_picture(8, 8, 100);
  sheet.words = std::move(words);
  sheet.height = 2;
  sheet.width = 4;
  for (std::size_t i = 0; i < sheet.words.size() * 8; ++i) {
    sheet.weights.push_back(static_cast<float>(i % 8));
  }
  return sheet;
}

Picture decoded(const std::string& png) {
  return decode_picture({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
}

int red_at(const Picture& picture, int x, int y) {
  return picture.pixels[static_cast<std::size_t>(3 * (y * picture.width + x))];
}

TEST(PictureSheet, ShowsThePictureOnceAndOnceAWord) {
  const PictureSheetStyle style{.opacity = 0.5, .tile_px = 8, .columns = 2};
  const Picture drawn = decoded(draw_png(sheet_of({"a", "b"}), style));
  // Two columns and rows of tiles of 8 × 8 with gaps of 8 and 24 pixels above for the words.
  ASSERT_EQ(drawn.width, 8 + 2 * (8 + 8));
  ASSERT_EQ(drawn.height, 2 * (8 + 24) + 8);
  EXPECT_EQ(red_at(drawn, 8, 24), 100);
  EXPECT_EQ(red_at(drawn, 15, 31), 100);
  EXPECT_EQ(red_at(drawn, 7, 24), 255) << "white beside it";
  EXPECT_EQ(red_at(drawn, 24, 24), 50) << "half of 100 and half of nothing";
  EXPECT_NEAR(red_at(drawn, 31, 31), (100 + 255) / 2.0, 1) << "half of 100 and half of white";
  EXPECT_EQ(red_at(drawn, 8, 56), 50) << "the second word begins a row";
  EXPECT_EQ(red_at(drawn, 24, 56), 255) << "there is no third";
  // The word's own peak is white: twice the weights draw the same.
  PictureSheet twice = sheet_of({"a", "b"});
  for (float& weight : twice.weights) {
    weight *= 2;
  }
  EXPECT_EQ(draw_png(twice, style), draw_png(sheet_of({"a", "b"}), style));
}

TEST(PictureSheet, WritesTheWords) {
  const PictureSheetStyle style{.opacity = 0, .tile_px = 64};
  EXPECT_NE(draw_png(sheet_of({"star"}), style), draw_png(sheet_of({"moon"}), style));
  EXPECT_THAT(draw_svg(sheet_of({"<star> & moon"}), style), HasSubstr(">&lt;star&gt; &amp; moon<"));
}

/// Its whole is there for the pointer.
TEST(PictureSheet, AWordIsNoWiderThanItsTile) {
  const std::string svg = draw_svg(sheet_of({"a", "incomprehensibilities"}), {.tile_px = 64});
  EXPECT_THAT(svg, HasSubstr(">incomp…<title>incomprehensibilities</title><"));
  const std::string wide = draw_svg(sheet_of({"incomprehensibilities"}), {.tile_px = 256});
  EXPECT_THAT(wide, HasSubstr(">incomprehensibilities<title>"));
}

/// Without weights over it, every tile is the picture.
TEST(PictureSheet, HasAnOpacity) {
  const PictureSheet sheet = sheet_of({""});
  const Picture bare = decoded(draw_png(sheet, {.opacity = 0, .tile_px = 8}));
  EXPECT_EQ(red_at(bare, 24, 24), 100);
  EXPECT_EQ(red_at(bare, 31, 31), 100);
  const Picture weights = decoded(draw_png(sheet, {.opacity = 1, .tile_px = 8}));
  EXPECT_EQ(red_at(weights, 24, 24), 0);
  EXPECT_EQ(red_at(weights, 31, 31), 255);
  EXPECT_THAT(draw_svg(sheet, {.opacity = 0.25, .tile_px = 8}), HasSubstr("opacity=\"0.25\""));
}

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(digit));
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(held));
    }
  }
  return bytes;
}

/// The images inside a drawing, in their order.
std::vector<Picture> images_in(const std::string& svg) {
  constexpr std::string_view mark = "data:image/png;base64,";
  std::vector<Picture> images;
  for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at)) {
    at += mark.size();
    images.push_back(decoded(from_base64(svg.substr(at, svg.find('"', at) - at))));
  }
  return images;
}

TEST(PictureSheet, AnSvgHasThePictureAndTheWeightsOfEachWord) {
  for (const int side : {7, 8, 9}) {  // files of every length modulo 3, sooner or later
    PictureSheet sheet = sheet_of({"a", "b"});
    sheet.picture = plain_picture(side, side, 100);
    const std::vector<Picture> images = images_in(draw_svg(sheet, {.tile_px = 8}));
    ASSERT_EQ(images.size(), 3U);
    EXPECT_EQ(images[0].pixels, plain_picture(8, 8, 100).pixels);
    EXPECT_EQ(red_at(images[1], 0, 0), 0);
    EXPECT_EQ(red_at(images[1], 7, 7), 255);
    EXPECT_EQ(images[1].pixels, images[2].pixels);
  }
}

TEST(PictureSheet, WhatIsNoNumberIsSeen) {
  PictureSheet sheet = sheet_of({"a"});
  sheet.weights[0] = std::numeric_limits<float>::quiet_NaN();
  const Picture drawn = decoded(draw_png(sheet, {.opacity = 1, .tile_px = 8}));
  EXPECT_EQ(red_at(drawn, 24, 24), 224);
  EXPECT_EQ(red_at(drawn, 31, 31), 255);
  std::fill(sheet.weights.begin(), sheet.weights.end(), 0.F);
  EXPECT_EQ(red_at(decoded(draw_png(sheet, {.opacity = 1, .tile_px = 8})), 31, 31), 0);
}

TEST(PictureSheet, RefusesWhatDoesNotFit) {
  PictureSheet sheet = sheet_of({"a"});
  EXPECT_THROW(draw_png(sheet, {.opacity = 1.5}), Error);
  EXPECT_THROW(draw_svg(sheet, {.tile_px = 100'000}), Error);
  sheet.weights.pop_back();
  EXPECT_THROW(draw_png(sheet), Error);
  sheet = sheet_of({"a"});
  sheet.picture.pixels.clear();
  EXPECT_THROW(draw_svg(sheet), Error);
}

}  // namespace
}  // namespace heed::test::picture_sheet_test
