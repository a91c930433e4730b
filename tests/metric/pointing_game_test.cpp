#include "heed/metric/pointing_game.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::test::pointing_game_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* line = "a red circle above a star ||| 1-2 0,0,0.5,0.5 5-5 0.5,0.25,1,1";

TEST(PointingGame, ReadsWordsAndBoxes) {
  const GoldCaption gold = read_gold_caption(line, "test");
  EXPECT_THAT(gold.words, ElementsAre("a", "red", "circle", "above", "a", "star"));
  ASSERT_EQ(gold.boxes.size(), 2U);
  EXPECT_EQ(gold.boxes[0].first, 1U);
  EXPECT_EQ(gold.boxes[0].last, 2U);
  EXPECT_EQ(gold.boxes[1].first, 5U);
  EXPECT_EQ(gold.boxes[1].box.top, 0.25);
  EXPECT_EQ(gold.boxes[1].box.right, 1);
  EXPECT_TRUE(read_gold_caption("nothing ||| ", "test").boxes.empty());
}

TEST(PointingGame, RefusesOtherLines) {
  const auto refusal = [](const std::string& text) {
    try {
      read_gold_caption(text, "gold.txt:7");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("a star"), HasSubstr("gold.txt:7: \"a star\" must be a caption"));
  for (const char* places :
       {"1-1", "1 0,0,1,1", "1-0 0,0,1,1", "0-2 0,0,1,1", "1-1 0,0,1", "1-1 0,0,1,1,1",
        "1-1 0.5,0,0.5,1", "1-1 0,0,1.5,1", "1-1 0,-1,1,1", "1-1 0,0,nan,1", "1-x 0,0,1,1"}) {
    EXPECT_THAT(refusal(std::string("a star ||| ") + places), HasSubstr("the place \"")) << places;
  }
}

/// Grids of 2 × 2 cells. "circle" looks at its quarter, "star" with a quarter of its weight at the
/// left; ¾ of the height of the two cells on the right lie in the star's box.
TEST(PointingGame, CountsHitsAndMass) {
  const std::vector<float> nowhere = {1, 0, 0, 0};
  const std::vector<float> circle = {0.5F, 0.25F, 0.25F, 0};
  const std::vector<float> star = {0.25F, 0, 0, 0.75F};
  const auto grid = [](const std::vector<float>& weights) { return WeightGrid{weights, 2, 2}; };
  const std::vector<WeightGrid> grids = {grid(nowhere), grid(nowhere), grid(circle),
                                         grid(nowhere), grid(nowhere), grid(star)};
  const GoldCaption gold = read_gold_caption(line, "test");
  PointingGame game;
  EXPECT_EQ(game.hits(), 0);
  game.add({"a", "red", "circle", "above", "a", "star"}, grids, gold);
  EXPECT_EQ(game.places(), 2);
  EXPECT_EQ(game.said(), 2);
  EXPECT_EQ(game.hits(), 100);
  EXPECT_DOUBLE_EQ(game.mass(), 100 * (0.5 + 0.75) / 2);
  // Another colour is another thing: only the star is judged, and this one looks elsewhere.
  std::vector<WeightGrid> other = grids;
  other[5] = grid(nowhere);
  game.add({"a", "blue", "circle", "above", "a", "star"}, other, gold);
  EXPECT_EQ(game.places(), 4);
  EXPECT_EQ(game.said(), 3);
  EXPECT_DOUBLE_EQ(game.hits(), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(game.mass(), 100 * 1.25 / 3);
  // A caption that ends early says neither of them.
  game.add({"a", "red"}, {grid(nowhere), grid(nowhere)}, gold);
  EXPECT_EQ(game.said(), 3);
  EXPECT_EQ(game.places(), 6);
  EXPECT_THROW(game.add({"a", "red"}, {grid(nowhere)}, gold), Error);
}

}  // namespace
}  // namespace heed::test::pointing_game_test
