#include "heed/media/unlikeness.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed::test::unlikeness_test {
namespace {

/// Rows (3, 1), (1.5, 1.5), (1.25, 1.25), (−4, 0): their levels are 2, 1.5, 1.25 and −2, so that the first
/// two are loud; their numbers differ from the level by 1 and by 0.
TEST(Unlikeness, IsTheMeanSquareWithinLoudRows) {
  const std::vector<float> rows = {3, 1, 1.5, 1.5, 1.25, 1.25, -4, 0};
  EXPECT_EQ(unlikeness(rows, 2), 0.5);
  EXPECT_EQ(unlikeness(std::span(rows).first(2), 2), 1);
  EXPECT_EQ(unlikeness(std::span(rows).last(2), 2), 4);
  EXPECT_EQ(unlikeness(rows, 8), 3.73046875);  // one row of eight numbers with the mean 0.6875
  EXPECT_EQ(unlikeness({}, 2), 0);
}

/// How loud a voice is does not count.
TEST(Unlikeness, IsThatOfALouderVoice) {
  const std::vector<float> rows = {1, 0, 2, 3, 0.5, 0.25};
  std::vector<float> louder = rows;
  for (float& number : louder) {
    number += 8;
  }
  EXPECT_EQ(unlikeness(louder, 3), unlikeness(rows, 3));
}

}  // namespace
}  // namespace heed::test::unlikeness_test
