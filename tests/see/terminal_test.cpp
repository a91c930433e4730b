#include "heed/see/terminal.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "heed/base/error.h"
#include "heed/text/display_width.h"

namespace heed::terminal_test {
namespace {

std::vector<std::string> lines_of(const std::string& drawing) {
  std::istringstream in(drawing);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

HeatMap house() {
  return {"A house", {"the", "house"}, {"das", "Haus"}, {1.0F, 0.0F, 0.25F, 0.75F}};
}

TEST(Terminal, StackedLabels) {
  TerminalStyle style;
  style.column_labels = ColumnLabels::stacked;
  EXPECT_EQ(draw_terminal(house(), style),
            "A house\n"
            "        H\n"
            "      d a\n"
            "      a u\n"
            "      s s\n"
            "  the ██\n"
            "house ░░▓▓\n"
            "target ↓  source →  weight  ░ ≥ 0.20  ▒ ≥ 0.40  ▓ ≥ 0.60  █ ≥ 0.80\n");
}

TEST(Terminal, StairsWhereTheyReadBetter) {
  EXPECT_EQ(draw_terminal(house()),
            "A house\n"
            "      ┌ das\n"
            "      │ ┌ Haus\n"
            "  the ██\n"
            "house ░░▓▓\n"
            "target ↓  source →  weight  ░ ≥ 0.20  ▒ ≥ 0.40  ▓ ≥ 0.60  █ ≥ 0.80\n");
}

TEST(Terminal, OnADarkGroundMoreWeightIsLighter) {
  TerminalStyle style;
  style.colour = Colour::palette;
  EXPECT_NE(draw_terminal(house(), style).find("the \x1b[48;5;232m\x1b[38;5;231m  "),
            std::string::npos);
  style.ground = Ground::dark;
  EXPECT_NE(draw_terminal(house(), style).find("the \x1b[48;5;255m\x1b[38;5;16m  "),
            std::string::npos);
  style.colour = Colour::full;
  EXPECT_NE(draw_terminal(house(), style).find("the \x1b[48;2;244;247;251m"), std::string::npos);
}

TEST(Terminal, TheGroundIsWhatTheTerminalSaysUnlessChosen) {
  const auto found = [](GroundChoice choice, std::string_view said) {
    return choose_ground(
        choice,
        {.is_terminal = true, .no_color = {}, .colorterm = {}, .term = {}, .colorfgbg = said});
  };
  for (const char* dark : {"15;0", "7;default;8", "15;6"}) {
    EXPECT_EQ(found(GroundChoice::automatic, dark), Ground::dark) << dark;
    EXPECT_EQ(found(GroundChoice::light, dark), Ground::light);
  }
  for (const char* light : {"0;15", "0;7", "", "nonsense", "0;default", "0;"}) {
    EXPECT_EQ(found(GroundChoice::automatic, light), Ground::light) << light;
    EXPECT_EQ(found(GroundChoice::dark, light), Ground::dark);
  }
}

TEST(Terminal, TransposedAsRushDrawsIt) {
  EXPECT_EQ(draw_terminal(transposed(house())),
            "A house\n"
            "     ┌ the\n"
            "     │ ┌ house\n"
            " das ██░░\n"
            "Haus   ▓▓\n"
            "source ↓  target →  weight  ░ ≥ 0.20  ▒ ≥ 0.40  ▓ ≥ 0.60  █ ≥ 0.80\n");
}

TEST(Terminal, ChineseStaysInItsColumns) {
  const HeatMap map{"", {"我", "看见", "ok"}, {"我", "图书馆", "a"}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  EXPECT_EQ(draw_terminal(map),
            "       图\n"
            "       书\n"
            "     我馆a\n"
            "  我 ██\n"
            "看见   ██\n"
            "  ok     ██\n"
            "target ↓  source →  weight  ░ ≥ 0.20  ▒ ≥ 0.40  ▓ ≥ 0.60  █ ≥ 0.80\n");
}

TEST(Terminal, LevelsCutTheScaleInFive) {
  HeatMap map{"", {"r"}, {"a", "b", "c", "d", "e", "f"}, {0.19F, 0.2F, 0.41F, 0.61F, 0.81F, 1}};
  EXPECT_EQ(lines_of(draw_terminal(map))[1], "r   ░░▒▒▓▓████");
  map.weights.back() = 0.5F;  // the largest is 0.81 now
  EXPECT_EQ(lines_of(draw_terminal(map))[1], "r ░░░░▒▒▓▓██▓▓");
  TerminalStyle style;
  style.darkest = 2;
  EXPECT_EQ(lines_of(draw_terminal(map, style))[1], "r     ░░░░▒▒░░");
}

TEST(Terminal, ValuesInPerCent) {
  TerminalStyle style;
  style.shows_values = true;
  EXPECT_EQ(draw_terminal(house(), style),
            "A house\n"
            "       ┌ das\n"
            "       │   ┌ Haus\n"
            "  the 100   ·\n"
            "house  25  75\n"
            "target ↓  source →  weight in per cent\n");
}

TEST(Terminal, DivergedWeightsAreShown) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const HeatMap map{"", {"r"}, {"a", "b", "c"}, {nan, infinity, 0.5F}};
  EXPECT_EQ(lines_of(draw_terminal(map))[1], "r ??████");
  TerminalStyle style;
  style.shows_values = true;
  EXPECT_EQ(lines_of(draw_terminal(map, style))[1], "r   ?   ≫  50");
}

TEST(Terminal, FullColour) {
  TerminalStyle style;
  style.colour = Colour::full;
  const HeatMap map{"", {"r"}, {"a", "b"}, {0, 1}};
  EXPECT_EQ(lines_of(draw_terminal(map, style))[1],
            "r \x1b[48;2;244;247;251m\x1b[38;2;0;0;0m  \x1b[48;2;11;42;92m\x1b[38;2;255;255;255m  "
            "\x1b[0m");
  for (const std::string& line : lines_of(draw_terminal(map, style))) {
    const auto paint = line.rfind("\x1b[48");
    EXPECT_TRUE(paint == std::string::npos || line.rfind("\x1b[0m") > paint) << line;
  }
}

TEST(Terminal, PaletteColour) {
  TerminalStyle style;
  style.colour = Colour::palette;
  EXPECT_EQ(lines_of(draw_terminal(HeatMap{"", {"r"}, {"a", "b"}, {0, 1}}, style))[1],
            "r \x1b[48;5;255m\x1b[38;5;16m  \x1b[48;5;232m\x1b[38;5;231m  \x1b[0m");
}

TEST(Terminal, WideMapsAreDrawnInPanels) {
  HeatMap map{"", {"r", "s"}, {}, {}};
  for (int i = 0; i < 7; ++i) {
    map.columns.push_back(std::string(1, static_cast<char>('a' + i)));
  }
  map.weights.assign(14, 0);
  map.weights[0] = map.weights[13] = 1;
  TerminalStyle style;
  style.width = 10;
  const auto lines = lines_of(draw_terminal(map, style));
  const std::vector<std::string> panels(lines.begin(), lines.end() - 1);
  EXPECT_EQ(panels, (std::vector<std::string>{"source 1–4 of 7", "  a b c d", "r ██", "s", "",
                                              "source 5–7 of 7", "  e f g", "r", "s     ██"}));
}

TEST(Terminal, StaysWithinItsWidth) {
  HeatMap map{"", {"a rather long label", "中文中文中文中文"}, {}, {}};
  for (int i = 0; i < 50; ++i) {
    map.columns.push_back("column " + std::to_string(i * i) + (i % 3 == 0 ? "中文" : ""));
  }
  map.weights.assign(100, 1);
  for (const ColumnLabels how :
       {ColumnLabels::automatic, ColumnLabels::stacked, ColumnLabels::stairs}) {
    for (const std::size_t width : {1U, 7U, 8U, 20U, 33U, 80U, 200U}) {
      for (const bool shows_values : {false, true}) {
        TerminalStyle style;
        style.column_labels = how;
        style.width = width;
        style.shows_values = shows_values;
        auto lines = lines_of(draw_terminal(map, style));
        lines.pop_back();  // the legend says more than a very narrow terminal holds
        for (const std::string& line : lines) {
          if (line.find(" of 50") == std::string::npos) {
            ASSERT_LE(display_width(line), std::max<std::size_t>(width, 9)) << line;
          }
        }
      }
    }
  }
}

TEST(Terminal, NoLimitDrawsOnePanel) {
  HeatMap map{"", {"r"}, std::vector<std::string>(300, "x"), std::vector<float>(300, 1)};
  TerminalStyle style;
  style.width = 0;
  EXPECT_EQ(display_width(lines_of(draw_terminal(map, style))[1]), 602U);
}

TEST(Terminal, TallStacksAreCut) {
  HeatMap map{"", {"r"}, {"abcdefghijklmnopqrstuvwxyz"}, {1}};
  TerminalStyle style;
  style.column_labels = ColumnLabels::stacked;
  const auto lines = lines_of(draw_terminal(map, style));
  ASSERT_EQ(lines.size(), 18U);
  EXPECT_EQ(lines[0], "  a");
  EXPECT_EQ(lines[14], "  o");
  EXPECT_EQ(lines[15], "  ⋮");
}

TEST(Terminal, ControlCharactersAreMadeVisible) {
  const HeatMap map{"ti\ntle", {"\n", " "}, {"\x1b", "\u0301"}, {1, 0, 0, 1}};
  const auto lines = lines_of(draw_terminal(map));
  EXPECT_EQ(lines[0], "ti␊tle");
  EXPECT_EQ(lines[1], "  ␛ ◌\u0301");
  EXPECT_EQ(lines[2], "␊ ██");
  EXPECT_EQ(lines[3], "␣   ██");
}

TEST(Terminal, NothingToDraw) {
  EXPECT_EQ(draw_terminal(HeatMap{"t", {"a"}, {}, {}}), "t\nnothing to draw: 1 rows × 0 columns\n");
  EXPECT_THROW(draw_terminal(HeatMap{"", {"a"}, {"b"}, {}}), Error);
}

TEST(Terminal, ColourFollowsTheWishThenTheTerminal) {
  const TerminalTraits pipe{false, "", "truecolor", "xterm"};
  const TerminalTraits modern{true, "", "truecolor", "xterm-256color"};
  const TerminalTraits older{true, "", "", "xterm-256color"};
  const TerminalTraits refused{true, "1", "truecolor", "xterm-256color"};
  const TerminalTraits dumb{true, "", "", "dumb"};
  EXPECT_EQ(choose_colour(ColourChoice::automatic, pipe), Colour::none);
  EXPECT_EQ(choose_colour(ColourChoice::automatic, modern), Colour::full);
  EXPECT_EQ(choose_colour(ColourChoice::automatic, older), Colour::palette);
  EXPECT_EQ(choose_colour(ColourChoice::automatic, refused), Colour::none);
  EXPECT_EQ(choose_colour(ColourChoice::automatic, dumb), Colour::none);
  EXPECT_EQ(choose_colour(ColourChoice::always, pipe), Colour::full);
  EXPECT_EQ(choose_colour(ColourChoice::always, refused), Colour::full);
  EXPECT_EQ(choose_colour(ColourChoice::never, modern), Colour::none);
  for (const char* term : {"xterm", "linux", "vt220", "screen"}) {
    EXPECT_EQ(choose_colour(ColourChoice::automatic, {true, "", "", term}), Colour::grey) << term;
    EXPECT_EQ(choose_colour(ColourChoice::automatic, {true, "1", "", term}), Colour::none) << term;
  }
  EXPECT_EQ(choose_colour(ColourChoice::automatic, {true, "", "", "xterm-direct"}), Colour::full);
  EXPECT_EQ(choose_colour(ColourChoice::always, {false, "", "", ""}), Colour::palette);
  EXPECT_EQ(choose_colour(ColourChoice::automatic, {true, "", "", ""}), Colour::none);
}

/// A cell is white, light grey, dark grey or black, with ink that can be read on it.
TEST(Terminal, DrawsAMapInFourGreys) {
  const HeatMap map{"", {"r"}, {"a", "b", "c", "d"}, {0, 0.2F, 0.6F, 1}};
  const std::string drawn = draw_terminal(map, {.colour = Colour::grey});
  EXPECT_NE(
      drawn.find("r \x1b[107m\x1b[30m  \x1b[47m\x1b[30m  \x1b[100m\x1b[97m  \x1b[40m\x1b[97m  "
                 "\x1b[0m\n"),
      std::string::npos)
      << drawn;
}

}  // namespace
}  // namespace heed::terminal_test
