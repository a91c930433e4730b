#include "heed/see/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed::test::curves_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Curves, MarksAreRoundNumbersWithinTheRange) {
  EXPECT_THAT(round_marks(0, 100, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(round_marks(3, 11, 4), ElementsAre(4, 6, 8, 10));
  EXPECT_THAT(round_marks(-0.5, 0.5, 2), ElementsAre(-0.5, 0, 0.5));
  EXPECT_THAT(round_marks(120, 4120, 4), ElementsAre(1000, 2000, 3000, 4000));
  EXPECT_FALSE(std::signbit(round_marks(1e-12, 1, 4).front()));  // 0 is not drawn as "-0"
  EXPECT_THROW(round_marks(1, 1, 3), Error);
}

/// A panel is 440 × 240 with margins of 64, 16, 34 and 30: steps 0 to 10 are x 64 to 424, values 1 to
/// 3 are y 210 to 34.
TEST(Curves, ALineGoesThroughItsPoints) {
  const std::string svg = draw_curves({{"loss", {{"a", {{0, 3}, {5, 2}, {10, 1}}}}}});
  EXPECT_THAT(
      svg,
      HasSubstr(R"(<polyline points="64.0,34.0 244.0,122.0 424.0,210.0 " stroke="#0072b2"/>)"));
  EXPECT_THAT(svg, HasSubstr("<title>a, step 5: 2</title>"));
  EXPECT_THAT(svg, HasSubstr(R"(width="440" height="240")"));
  EXPECT_THAT(svg, HasSubstr(">loss</text>"));
}

TEST(Curves, AnotherNumberThanTheStepIsNamedBelowTheAxis) {
  const std::string svg = draw_curves({{"bleu", {{"a", {{2.5, 30}, {5, 20}}}}, "words <read>"}});
  EXPECT_THAT(svg, HasSubstr("<title>a, words &lt;read&gt; 2.5: 30</title>"));
  EXPECT_THAT(svg, HasSubstr(">words &lt;read&gt; →</text>"));
  EXPECT_THAT(draw_curves({{"bleu", {{"a", {{2, 30}}}}}}), Not(HasSubstr("→")));
}

TEST(Curves, RunsShareAPanelAndALegend) {
  const std::string svg = draw_curves({{"loss", {{"a<b", {{0, 1}}}, {"c", {{0, 2}, {1, 4}}}}},
                                       {"reward", {{"a<b", {}}, {"c", {{1, 4}}}}},
                                       {"x", {{"a<b", {}}, {"c", {}}}}});
  EXPECT_THAT(svg, HasSubstr(R"(width="880" height="528")"));  // two rows, two names
  EXPECT_THAT(svg, HasSubstr(">a&lt;b</text>"));
  EXPECT_THAT(svg, HasSubstr(R"(stroke="#d55e00")"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace heed::test::curves_test
