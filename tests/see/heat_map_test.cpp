#include "heed/see/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/see/ramp.h"

namespace heed::heat_map_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(HeatMap, NeedsOneWeightForEachCell) {
  HeatMap map{"", {"a", "b"}, {"x", "y", "z"}, {1, 2, 3, 4, 5}};
  EXPECT_THROW(check(map), Error);
  EXPECT_THROW(transposed(map), Error);
  map.weights.push_back(6);
  EXPECT_NO_THROW(check(map));
}

TEST(HeatMap, TransposedSwapsLabelsAxesAndWeights) {
  const HeatMap map{"t", {"a", "b"}, {"x", "y", "z"}, {1, 2, 3, 4, 5, 6}};
  const HeatMap turned = transposed(map);
  EXPECT_EQ(turned.rows, map.columns);
  EXPECT_EQ(turned.columns, map.rows);
  EXPECT_EQ(turned.weights, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(turned.row_axis, "source");
  EXPECT_EQ(turned.column_axis, "target");
  EXPECT_EQ(transposed(turned).weights, map.weights);
}

TEST(HeatMap, PeakPassesOverWhatIsNotFinite) {
  EXPECT_EQ(peak(HeatMap{"", {"a"}, {"x", "y", "z"}, {nan, 0.25F, infinity}}), 0.25);
  EXPECT_EQ(peak(HeatMap{}), 0);
}

TEST(HeatMap, DarknessIsAShareOfTheDarkest) {
  EXPECT_EQ(darkness(0.25, 0.5), 0.5);
  EXPECT_EQ(darkness(3, 0.5), 1);
  EXPECT_EQ(darkness(infinity, 0.5), 1);
  EXPECT_EQ(darkness(-1, 0.5), 0);
  EXPECT_EQ(darkness(0, 0), 0);
  EXPECT_TRUE(std::isnan(darkness(nan, 1)));
}

TEST(HeatMap, LabelsHideNothing) {
  EXPECT_EQ(drawn_label("a b"), "a b");
  EXPECT_EQ(drawn_label(" "), "␣");
  EXPECT_EQ(drawn_label(" \u3000"), "␣␣");
  EXPECT_EQ(drawn_label("\n"), "␊");
  EXPECT_EQ(drawn_label(""), "");
  EXPECT_EQ(drawn_label("\xFF"), "⟨FF⟩");
}

TEST(Ramp, DarkensWithEveryStep) {
  const auto luminance = [](Rgb c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
  for (int i = 1; i <= 100; ++i) {
    EXPECT_LT(luminance(ramp(i / 100.0)), luminance(ramp((i - 1) / 100.0)));
    EXPECT_LE(palette_ramp(i / 100.0), palette_ramp((i - 1) / 100.0));
  }
  EXPECT_EQ(palette_ramp(0), 255);
  EXPECT_EQ(palette_ramp(1), 232);
}

TEST(Ramp, InkStandsOutFromEveryShade) {
  for (int i = 0; i <= 100; ++i) {
    const Rgb paper = ramp(i / 100.0);
    const int ink = needs_light_ink(i / 100.0) ? 255 : 0;
    EXPECT_GT(std::abs(ink - (0.2126 * paper.red + 0.7152 * paper.green + 0.0722 * paper.blue)), 90)
        << i;
  }
}

}  // namespace
}  // namespace heed::heat_map_test
