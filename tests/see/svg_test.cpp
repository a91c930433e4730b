#include "heed/see/svg.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "heed/base/error.h"

namespace heed::svg_test {
namespace {

/// What Python's XML parser, which shares nothing with us, prints for the drawing; empty where it
/// is no XML.
std::string parsed_by_python(const std::string& svg, const std::string& expression) {
  const std::string path = testing::TempDir() + "/heed_svg_test.svg";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(svg.data(), 1, svg.size(), file);
  std::fclose(file);
  const std::string command =
      "python3 -c 'import sys, xml.etree.ElementTree as E; n = \"{http://www.w3.org/2000/svg}\"; "
      "t = E.parse(sys.argv[1]).getroot(); sys.stdout.buffer.write(str(" +
      expression + ").encode())' " + path + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    out.push_back(static_cast<char>(c));
  }
  EXPECT_EQ(pclose(pipe), 0) << out;
  std::remove(path.c_str());
  return out;
}

HeatMap house() {
  return {"A house", {"the", "house"}, {"das", "Haus"}, {1.0F, 0.0F, 0.25F, 0.75F}};
}

TEST(Svg, WordsOnBothAxesAndTheWeightOnHover) {
  const std::string svg = draw_svg(house());
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0U);
  for (const char* part : {
           "<title>target the, source das: 1.000</title>",
           "<title>target house, source das: 0.250</title>",
           ">A house</text>",
           "rotate(-45)\">Haus</text>",
           "class=\"middle\"",
           ">source →</text>",
           ">target ↓</text>",
           "fill=\"#f4f7fb\"",
           "fill=\"#0b2a5c\"",
       }) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
}

TEST(Svg, IsXmlWithOneCellForEachWeightThatCanBeSeen) {
  const std::string cells =
      "[[r.get(\"fill\"), r[0].text] for r in t.iter(n + \"rect\") "
      "if len(r)]";
  EXPECT_EQ(parsed_by_python(draw_svg(house()), cells),
            "[['#0b2a5c', 'target the, source das: 1.000'], ['#bed5eb', 'target house, source das: "
            "0.250'], ['#286ba9', 'target house, source Haus: 0.750']]");
  const HeatMap map{"", {"r"}, {"a", "b", "c", "d", "e"}, {0.0F, 1e-30F, 0.0F, 0.0099F, 0.99F}};
  EXPECT_EQ(parsed_by_python(draw_svg(map), cells), "[['#0b2a5c', 'target r, source e: 0.990']]");
  EXPECT_EQ(parsed_by_python(draw_svg(map),
                             "[[p.get(\"fill\"), p.get(\"d\").count(\"M\"), p[0].text] for p in "
                             "t.iter(n + \"path\")]"),
            "[['#f4f7fb', 2, '0'], ['#f4f7fb', 2, 'below 0.0099']]");
}

TEST(Svg, HostileLabelsStayText) {
  const HeatMap map{
      "<script>\"&", {"</svg>", "\x1b\x01"}, {"图书馆", "\uFFFE\xFF ]]>"}, {1, 0, 0, 1}};
  EXPECT_EQ(
      parsed_by_python(draw_svg(map), "[x.text for x in t.iter(n + \"text\")][:7]"),
      "['<script>\"&', 'source →', 'target ↓', '图书馆', '⟨U+FFFE⟩⟨FF⟩ ]]>', '</svg>', '␛␁']");
}

TEST(Svg, CellsLieOnAGridInsideTheSheet) {
  SvgStyle style;
  style.cell_px = 40;
  const std::string inside =
      "all(float(r.get(\"x\")) in (0, 40) and float(r.get(\"y\")) in (0, 40) and r.get(\"width\") "
      "== "
      "\"39\" for r in t.iter(n + \"rect\") if len(r))";
  EXPECT_EQ(parsed_by_python(draw_svg(house(), style), inside), "True");
}

TEST(Svg, WeightsThatAreAllSmallAreDrawnAsLargeOnesAre) {
  const auto fills = [](float weight) {
    const HeatMap map{"", {"r"}, {"a", "b"}, {weight, weight / 2}};
    return parsed_by_python(draw_svg(map),
                            "[r.get(\"fill\") for r in t.iter(n + \"rect\") if len(r)]");
  };
  EXPECT_EQ(fills(0.004F), fills(1.0F));
  EXPECT_EQ(fills(0.004F).find("'#0b2a5c', "), 1U);
}

TEST(Svg, SettingsTell) {
  SvgStyle style;
  style.darkest = 2;
  EXPECT_NE(draw_svg(house(), style).find(">2.00</text>"), std::string::npos);
  EXPECT_EQ(draw_svg(house(), style).find("fill=\"#0b2a5c\""), std::string::npos);
  style = {};
  style.shows_values = true;
  EXPECT_NE(draw_svg(house(), style).find(">75</text>"), std::string::npos);
  EXPECT_EQ(draw_svg(house()).find(">75</text>"), std::string::npos);
  style.cell_px = 0;
  EXPECT_THROW(draw_svg(house(), style), Error);
}

TEST(Svg, DivergedAndEmptyMapsAreDrawn) {
  const HeatMap map{"", {"r"}, {"a"}, {std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_NE(draw_svg(map).find("fill=\"#e0483e\""), std::string::npos);
  EXPECT_EQ(parsed_by_python(draw_svg(HeatMap{}), "t.tag == n + \"svg\""), "True");
}

}  // namespace
}  // namespace heed::svg_test
