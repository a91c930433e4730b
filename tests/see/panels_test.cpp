#include "heed/see/panels.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/see/sheet.h"

namespace heed::panels_test {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

Panels three() {
  const HeatMap strong{"first", {"a", "b"}, {"x", "y"}, {0.8F, 0.2F, 0.2F, 0.8F}};
  const HeatMap weak{"second", {"a", "b"}, {"x", "y"}, {0.4F, 0.4F, 0.4F, 0.4F}};
  return {"three heads", {strong, weak, weak}, 2};
}

TEST(Panels, EveryMapIsDrawnOnOneScaleWithOneLegend) {
  const std::string svg = draw_svg(three());
  EXPECT_EQ(count(svg, "<svg "), 1U);
  EXPECT_EQ(count(svg, "</title></rect>"), 12U);
  EXPECT_EQ(count(svg, "<g transform="), 3U);
  EXPECT_EQ(count(svg, ">three heads</text>"), 1U);
  EXPECT_EQ(count(svg, ">second</text>"), 2U);
  EXPECT_EQ(count(svg, ">weight 0</text>"), 1U);
  EXPECT_EQ(count(svg, ">0.80</text>"), 1U);
  // Half of the largest weight of all maps is in the middle of the ramp, not at its end.
  EXPECT_EQ(count(svg, "fill=\"#0b2a5c\""), 2U);
}

TEST(Panels, TwoLieBesideEachOtherAndTheThirdBelow) {
  const std::string svg = draw_svg(three());
  const Sheet one = lay_out(three().maps[0], 28);
  EXPECT_NE(svg.find(fmt::format("translate(0.0 {:.1f})", 2 * font_px)), std::string::npos);
  EXPECT_NE(svg.find(fmt::format("translate({:.1f} {:.1f})", one.width, 2 * font_px)),
            std::string::npos);
  EXPECT_NE(svg.find(fmt::format("translate(0.0 {:.1f})", 2 * font_px + one.bottom + gap_px)),
            std::string::npos);
}

TEST(Panels, AMapMayBeginARowBeforeTheLastIsFull) {
  Panels panels = three();
  panels.columns = 3;
  panels.begin_row = {0, 1};  // that the first begins a row goes without saying
  const std::string svg = draw_svg(panels);
  const Sheet one = lay_out(panels.maps[0], 28);
  const double first = 2 * font_px;
  const double second = first + one.bottom + gap_px;
  EXPECT_NE(svg.find(fmt::format("translate(0.0 {:.1f})", first)), std::string::npos);
  EXPECT_NE(svg.find(fmt::format("translate(0.0 {:.1f})", second)), std::string::npos);
  EXPECT_NE(svg.find(fmt::format("translate({:.1f} {:.1f})", one.width, second)),
            std::string::npos);
  EXPECT_EQ(draw_png(panels).substr(1, 3), "PNG");
}

TEST(Panels, ATitleDoesNotReachIntoTheNextMap) {
  Panels panels = three();
  panels.maps[0].title = std::string(100, 'm');
  const Sheet sheet = lay_out(panels.maps[0], 28);
  EXPECT_GE(sheet.width, 2 * gap_px + 100 * 0.62 * title_px);
}

TEST(Panels, PngAndTerminalHaveAllOfThem) {
  EXPECT_EQ(draw_png(three()).substr(1, 3), "PNG");
  Panels fewer = three();
  fewer.maps.pop_back();
  EXPECT_NE(draw_png(three()), draw_png(fewer));
  const std::string text = draw_terminal(three());
  EXPECT_EQ(text.rfind("three heads\nfirst\n", 0), 0U);
  EXPECT_EQ(count(text, "second\n"), 2U);
  EXPECT_EQ(count(text, "▒▒▒▒"), 4U);  // 0.4 of 0.8
}

TEST(Panels, NothingAndWrongMapsAreRefused) {
  EXPECT_THROW(draw_svg(Panels{}), Error);
  EXPECT_THROW(draw_png(Panels{}), Error);
  EXPECT_THROW(draw_terminal(Panels{}), Error);
  Panels wrong = three();
  wrong.maps[1].weights.pop_back();
  EXPECT_THROW(draw_svg(wrong), Error);
  EXPECT_THROW(draw_png(three(), {.cell_px = 1}), Error);
}

}  // namespace
}  // namespace heed::panels_test
