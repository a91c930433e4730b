#include "heed/see/sound_sheet.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::sound_sheet_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Two seconds of two bands: low first, then high. Two words, each heard in one of four slots.
SoundSheet small_sheet() {
  SoundSheet sheet;
  sheet.features = {-1, -3, -1, -3, -3, -1, -3, -1};
  sheet.bands = 2;
  sheet.start = 0;
  sheet.end = 2;
  sheet.words = {"low", "<high>"};
  sheet.slots = {0, 0.5, 1, 1.5, 2};
  sheet.weights = {0.8F, 0.2F, 0, 0, 0, 0, 0, 0.5F};
  return sheet;
}

TEST(SoundSheet, PlacesAreAsDarkAsTheyAreLoudAndHeavy) {
  const SoundSheet sheet = small_sheet();
  const SoundShades shades(sheet);
  EXPECT_EQ(shades.sound_at(0.2, 0), 1);
  EXPECT_EQ(shades.sound_at(0.2, 1), 0);
  EXPECT_EQ(shades.sound_at(1.8, 1.5), 1);
  EXPECT_EQ(shades.sound_at(9, 9), 1);  // the nearest
  EXPECT_EQ(shades.weight_at(0, 0.1), 1);
  EXPECT_NEAR(shades.weight_at(0, 0.7), 0.25, 1e-6);
  EXPECT_EQ(shades.weight_at(1, 1.6), 1);  // its own largest is darkest
  EXPECT_EQ(shades.weight_at(1, 2.5), 0);
}

TEST(SoundSheet, AStretchShowsEverySlotInIt) {
  const SoundSheet sheet = small_sheet();
  const SoundShades shades(sheet);
  EXPECT_EQ(shades.weight_in(0, 0, 2), 1);
  EXPECT_NEAR(shades.weight_in(0, 0.6, 2), 0.25, 1e-6);  // the middle of slot 1 is at 0.75
  EXPECT_EQ(shades.weight_in(0, 0.8, 2), 0);
  EXPECT_EQ(shades.weight_in(0, 0.1, 0.2), 1);  // within a slot
  EXPECT_EQ(shades.weight_in(1, 1, 2), 1);
  EXPECT_EQ(shades.weight_in(1, 2, 3), 0);
}

TEST(SoundSheet, ASpikeIsDrawnHoweverNarrowTheTerminal) {
  SoundSheet sheet = small_sheet();
  const size_t slots = 400;
  sheet.words = {"a", "b", "c", "d"};
  sheet.slots.clear();
  for (size_t slot = 0; slot <= slots; ++slot) {
    sheet.slots.push_back(2.0 * static_cast<double>(slot) / slots);
  }
  sheet.weights.assign(sheet.words.size() * slots, 0);
  for (size_t word = 0; word < sheet.words.size(); ++word) {
    sheet.weights[word * slots + 101 + word] = 1;
  }
  TerminalStyle style;
  style.width = 22;  // 20 columns of 20 slots
  const std::string drawn = draw_terminal(sheet, style);
  for (const std::string& word : sheet.words) {
    EXPECT_THAT(drawn, HasSubstr(fmt::format("\n{}      █\n", word)));
  }
}

TEST(SoundSheet, TheTerminalShowsTheWordsUnderTheirSound) {
  TerminalStyle style;
  style.width = 27;  // six for the labels and a blank, 20 for the time
  const std::string drawn = draw_terminal(small_sheet(), style);
  std::vector<std::string> lines;
  for (size_t at = 0; at < drawn.size();) {
    const size_t end = drawn.find('\n', at);
    lines.push_back(drawn.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 11U);  // eight of the spectrogram, two words, the axis
  EXPECT_EQ(lines[0], "                 ██████████");
  EXPECT_EQ(lines[7], "       ██████████");
  EXPECT_EQ(lines[8], "   low █████░░░░░");
  EXPECT_EQ(lines[9], "<high>                █████");
  EXPECT_EQ(lines[10], "       '0 s      '1 s");
}

TEST(SoundSheet, FilesHoldTheSpectrogramTheRowsAndTheAxis) {
  const SoundSheet sheet = small_sheet();
  const std::string svg = draw_svg(sheet);
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("data:image/png;base64,"));
  EXPECT_THAT(svg, HasSubstr(">&lt;high&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">1.6 s</text>"));
  size_t rows = 0;
  for (size_t at = svg.find("height=\"20.0\""); at != std::string::npos;
       at = svg.find("height=\"20.0\"", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, 8U);  // two words, four slots
  EXPECT_THAT(draw_png(sheet), StartsWith("\x89PNG"));
  SoundSheet wrong = sheet;
  wrong.weights.pop_back();
  EXPECT_THROW(draw_png(wrong), Error);
  wrong = sheet;
  wrong.features.clear();
  EXPECT_THROW(draw_svg(wrong), Error);
}

TEST(SoundSheet, TicksAreRoundNumbers) {
  EXPECT_THAT(ticks(0, 2, 4),
              ElementsAre(DoubleEq(0), DoubleEq(0.5), DoubleEq(1), DoubleEq(1.5), DoubleEq(2)));
  EXPECT_THAT(ticks(1.1, 3.2, 3), ElementsAre(DoubleEq(2), DoubleEq(3)));
  EXPECT_THAT(ticks(0, 60, 6), ElementsAre(DoubleEq(0), DoubleEq(10), DoubleEq(20), DoubleEq(30),
                                           DoubleEq(40), DoubleEq(50), DoubleEq(60)));
}

}  // namespace
}  // namespace heed::sound_sheet_test
