#include "heed/media/onset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed::onset_test {
namespace {

SoundLevels rising_at(size_t block, size_t blocks) {
  SoundLevels levels;
  levels.power.assign(blocks, 1e-4F);
  std::fill(levels.power.begin() + static_cast<std::ptrdiff_t>(block), levels.power.end(), 0.1F);
  return levels;
}

TEST(Onset, IsTheEndOfTheLastQuietBlocks) {
  // Blocks are loud from two before the rise on, as the levels of five are averaged.
  EXPECT_NEAR(sound_onset(rising_at(30, 60), 0, 0.5), 0.28, 1e-9);
  EXPECT_NEAR(sound_onset(rising_at(30, 60), 0.1, 0.45), 0.28, 1e-9);
  SoundLevels twice = rising_at(30, 60);
  std::fill(twice.power.begin() + 5, twice.power.begin() + 12, 0.1F);
  EXPECT_NEAR(sound_onset(twice, 0, 0.5), 0.28, 1e-9) << "an earlier sound is not the word's";
}

TEST(Onset, IsTheQuietestBlockWhereNothingIsQuietForLong) {
  SoundLevels falling;
  for (int k = 0; k < 40; ++k) {
    falling.power.push_back(k < 20 ? std::pow(10.0F, -0.5F * static_cast<float>(k))
                                   : std::pow(10.0F, -0.5F * static_cast<float>(40 - k)));
  }
  EXPECT_NEAR(sound_onset(falling, 0, 0.35), 0.2, 0.011);
}

TEST(Onset, StaysBetweenTheTwoMoments) {
  EXPECT_EQ(sound_onset(rising_at(30, 60), 0.4, 0.4), 0.4);
  EXPECT_EQ(sound_onset(rising_at(30, 60), 0.9, 0.7), 0.7);
  EXPECT_LE(sound_onset(rising_at(30, 60), 0, 0.123), 0.123);
  EXPECT_EQ(sound_onset({}, 0, 0.5), 0.5);
}

TEST(Onset, LevelsAreMeanSquaresOfTenMilliseconds) {
  Sound sound{1000, std::vector<float>(25, 0.5F)};
  sound.samples[24] = 1;
  const SoundLevels levels = levels_of(sound);
  ASSERT_EQ(levels.power.size(), 3U);
  EXPECT_FLOAT_EQ(levels.power[0], 0.25F);
  EXPECT_FLOAT_EQ(levels.power[2], 0.4F);
}

}  // namespace
}  // namespace heed::onset_test
