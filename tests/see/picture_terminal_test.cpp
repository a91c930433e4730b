#include "heed/see/picture_terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::test::picture_terminal_test {
namespace {

using ::testing::HasSubstr;

/// The left half black, the right half red; a grid of 1 × 2 cells, of which the word looks at the
/// right one.
PictureSheet half_red() {
  PictureSheet sheet;
  sheet.picture = plain_picture(4, 4, 0);
  for (std::size_t i = 0; i < 16; ++i) {
    sheet.picture.pixels[3 * i] = i % 4 < 2 ? 0 : 255;
  }
  sheet.words = {"red"};
  sheet.height = 1;
  sheet.width = 2;
  sheet.weights = {0, 1};
  return sheet;
}

std::string half_block(int red, int other) {
  const std::string colour =
      std::to_string(red) + ";" + std::to_string(other) + ";" + std::to_string(other) + "m";
  return "\x1b[38;2;" + colour + "\x1b[48;2;" + colour + "▀";
}

TEST(PictureTerminal, DrawsHalfBlocksInColour) {
  const PictureTerminalStyle style{
      .colour = Colour::full, .width = 80, .tile = 4, .sheet = {.opacity = 0.5}};
  const std::string black = half_block(0, 0);
  const std::string red = half_block(255, 0);
  // Half of the picture, and half of light for 0, ¼, ¾ and 1 of the largest weight.
  const std::string line = black + black + red + red + "\x1b[0m  " + black + half_block(32, 32) +
                           half_block(223, 96) + half_block(255, 128) + "\x1b[0m\n";
  EXPECT_EQ(draw_terminal(half_red(), style), "      red\n" + line + line);
  PictureTerminalStyle few = style;
  few.colour = Colour::palette;
  EXPECT_THAT(draw_terminal(half_red(), few), HasSubstr("\x1b[38;5;196m\x1b[48;5;196m▀"));
}

/// A terminal with sixteen colours has black, dark grey, light grey and white: 0, 127, 229, 255.
TEST(PictureTerminal, DrawsFourGreysWhereTheTerminalHasSixteenColours) {
  const PictureTerminalStyle style{
      .colour = Colour::grey, .width = 80, .tile = 4, .sheet = {.opacity = 1}};
  const std::string black = "\x1b[30m\x1b[40m▀";
  const std::string dark = "\x1b[90m\x1b[100m▀";
  const std::string light = "\x1b[37m\x1b[47m▀";
  const std::string white = "\x1b[97m\x1b[107m▀";
  // Red has the lightness 76, nearer to 127 than to 0. The weights are 0, ¼, ¾ and 1 of the largest:
  // the lightness 0, 64, 191 and 255.
  const std::string line =
      black + black + dark + dark + "\x1b[0m  " + black + dark + light + white + "\x1b[0m\n";
  EXPECT_EQ(draw_terminal(half_red(), style), "      red\n" + line + line);
}

TEST(PictureTerminal, DrawsPlainCharactersWithoutColour) {
  const std::string drawn = draw_terminal(half_red(), {.width = 80, .tile = 4});
  // Red has the lightness 0.299; the weights are 0, ¼, ¾ and 1 of the largest.
  EXPECT_EQ(drawn, "      red\n  ::   :#@\n  ::   :#@\n");
  EXPECT_EQ(drawn.find('\x1b'), std::string::npos);
}

TEST(PictureTerminal, BeginsANewLineOfTilesWhereTheTerminalEnds) {
  PictureSheet sheet = half_red();
  sheet.words = {"one", "two"};
  sheet.weights = {0, 1, 1, 0};
  const std::string drawn = draw_terminal(sheet, {.width = 11, .tile = 4});
  EXPECT_EQ(drawn, "      one\n  ::   :#@\n  ::   :#@\ntwo\n@#:\n@#:\n");
  EXPECT_THROW(draw_terminal(sheet, {.tile = 1}), Error);
  sheet.weights.pop_back();
  EXPECT_THROW(draw_terminal(sheet, {}), Error);
}

TEST(ColourMap, GoesFromDarkToLight) {
  const auto sum = [](Rgb colour) { return colour.red + colour.green + colour.blue; };
  for (const ColourMap map : {ColourMap::light, ColourMap::heat, ColourMap::blue}) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_LE(sum(mapped_colour(map, i / 20.0)), sum(mapped_colour(map, (i + 1) / 20.0)));
    }
    EXPECT_EQ(sum(mapped_colour(map, -1)), sum(mapped_colour(map, 0)));
    EXPECT_EQ(sum(mapped_colour(map, 2)), sum(mapped_colour(map, 1)));
  }
  const Rgb heat = mapped_colour(ColourMap::heat, 0.5);
  EXPECT_EQ(heat.red, 255);
  EXPECT_EQ(heat.green, 64);
  EXPECT_EQ(heat.blue, 0);
}

TEST(ColourMap, FindsTheNearestOfFourGreys) {
  const std::vector<std::pair<double, int>> nearest = {
      {0, 0}, {63, 0}, {64, 1}, {127, 1}, {177, 1}, {179, 2}, {241, 2}, {243, 3}, {255, 3}};
  for (const auto& [lightness, grey] : nearest) {
    EXPECT_EQ(grey_of_four(lightness), grey) << lightness;
  }
  EXPECT_NEAR(lightness_of({255, 255, 255}), 255, 1e-9);
  EXPECT_NEAR(lightness_of({0, 255, 0}), 0.587 * 255, 1e-9);
}

/// Numbers from xterm's table of 256 colours.
TEST(ColourMap, FindsTheNearestOfFewColours) {
  EXPECT_EQ(palette_colour({0, 0, 0}), 16);
  EXPECT_EQ(palette_colour({255, 255, 255}), 231);
  EXPECT_EQ(palette_colour({255, 0, 0}), 196);
  EXPECT_EQ(palette_colour({95, 135, 175}), 67);
  EXPECT_EQ(palette_colour({128, 128, 128}), 244);
  EXPECT_EQ(palette_colour({8, 8, 8}), 232);
  EXPECT_EQ(palette_colour({238, 238, 238}), 255);
}

}  // namespace
}  // namespace heed::test::picture_terminal_test
