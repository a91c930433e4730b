#include "heed/metric/pointing.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "heed/base/error.h"

namespace heed::pointing_test {
namespace {

// Two rows of four cells; the heaviest is the third of the first row, whose centre is (0.625, 0.25).
const std::vector<float> weights = {0.0F, 0.125F, 0.5F, 0.125F, 0.125F, 0.0F, 0.125F, 0.0F};
const WeightGrid grid = {weights, 2, 4};

TEST(Pointing, TheCentreOfTheHeaviestCellDecides) {
  EXPECT_TRUE(points_inside(grid, {0.5, 0, 0.75, 0.5}));
  EXPECT_TRUE(points_inside(grid, {0.6, 0.2, 0.65, 0.3}));  // smaller than the cell
  EXPECT_TRUE(points_inside(grid, {0.625, 0.25, 1, 1}));    // the edges belong to the box
  EXPECT_FALSE(points_inside(grid, {0.63, 0, 0.75, 0.5}));  // most of the cell but its centre
  EXPECT_FALSE(points_inside(grid, {0.5, 0.26, 0.75, 1}));
  EXPECT_FALSE(points_inside(grid, {0, 0, 0.5, 1}));
  EXPECT_TRUE(points_inside(grid, {}));
}

TEST(Pointing, OfEquallyHeavyCellsTheFirstCounts) {
  const std::vector<float> equal = {0.25F, 0.25F, 0.25F, 0.25F};
  EXPECT_TRUE(points_inside({equal, 2, 2}, {0, 0, 0.5, 0.5}));
  EXPECT_FALSE(points_inside({equal, 2, 2}, {0.5, 0.5, 1, 1}));
}

TEST(Pointing, MassIsSharedByOverlap) {
  EXPECT_DOUBLE_EQ(mass_inside(grid, {}), 1);
  EXPECT_DOUBLE_EQ(mass_inside(grid, {0.5, 0, 0.75, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(mass_inside(grid, {0.5, 0, 1, 1}), 0.5 + 0.125 + 0.125);
  // Half of the width and a quarter of the height of the heaviest cell.
  EXPECT_DOUBLE_EQ(mass_inside(grid, {0.5, 0, 0.625, 0.125}), 0.5 / 8);
  // Half of cell 2, all of cell 3 and half of cell 4, each in half its height.
  EXPECT_DOUBLE_EQ(mass_inside(grid, {0.375, 0.25, 0.875, 0.5}), (0.0625 + 0.5 + 0.0625) / 2);
  // Weights need not sum to 1.
  const std::vector<float> large = {3, 1};
  EXPECT_DOUBLE_EQ(mass_inside({large, 1, 2}, {0, 0, 0.5, 1}), 0.75);
  EXPECT_DOUBLE_EQ(mass_inside({large, 2, 1}, {0, 0.5, 1, 1}), 0.25);
}

TEST(Pointing, RefusesWhatIsNoGridAndNoBox) {
  const std::vector<float> none = {0, 0};
  const std::vector<float> negative = {1, -1};
  const std::vector<float> infinite = {1, std::numeric_limits<float>::infinity()};
  const std::vector<float> undefined = {1, std::numeric_limits<float>::quiet_NaN()};
  for (const WeightGrid& bad :
       {WeightGrid{none, 1, 2}, WeightGrid{negative, 1, 2}, WeightGrid{infinite, 1, 2},
        WeightGrid{undefined, 1, 2}, WeightGrid{weights, 2, 3}, WeightGrid{weights, 0, 8},
        WeightGrid{weights, 8, 0}, WeightGrid{{}, 0, 0},
        WeightGrid{weights, std::numeric_limits<std::size_t>::max() / 2 + 5, 2}}) {
    EXPECT_THROW(points_inside(bad, {}), Error);
    EXPECT_THROW(mass_inside(bad, {}), Error);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const PictureBox& bad :
       {PictureBox{0.5, 0, 0.5, 1}, PictureBox{0, 0.7, 1, 0.6}, PictureBox{-0.1, 0, 1, 1},
        PictureBox{0, 0, 1, 20}, PictureBox{nan, 0, 1, 1}, PictureBox{0, 0, 1, nan}}) {
    EXPECT_THROW(points_inside(grid, bad), Error);
    EXPECT_THROW(mass_inside(grid, bad), Error);
  }
}

}  // namespace
}  // namespace heed::pointing_test
