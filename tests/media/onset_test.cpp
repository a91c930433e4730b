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

/// Loud from 0.1 s to 0.4 s, with 30 ms of quiet from 0.25 s on, and after it at −60 dB.
TEST(SoundEnd, IsWhereTheSoundIsOver) {
  SoundLevels levels;
  levels.power.assign(100, 1e-7F);
  std::fill(levels.power.begin() + 10, levels.power.begin() + 40, 0.1F);
  std::fill(levels.power.begin() + 25, levels.power.begin() + 28, 1e-7F);
  // The levels of five blocks are averaged: those of blocks 40 and 41 are not 30 dB below.
  EXPECT_NEAR(sound_end(levels, 0.1, 0.2, 0.9), 0.42, 1e-9);
  EXPECT_NEAR(sound_end(levels, 0.1, 0.2, 0.45), 0.42, 1e-9) << "fewer than six blocks are left";
  EXPECT_NEAR(sound_end(levels, 0.1, 0.15, 0.3), 0.24, 1e-9) << "at the quietest moment";
  EXPECT_NEAR(sound_end(levels, 0.1, 0.6, 0.9), 0.6, 1e-9);
  EXPECT_EQ(sound_end({}, 0, 0.1, 0.5), 0.5);
}

/// Where noise is louder than 30 dB below the word, it is over where only the noise is left.
TEST(SoundEnd, IsWhereOnlyNoiseIsLeft) {
  SoundLevels levels;
  for (int k = 0; k < 100; ++k) {
    levels.power.push_back(k < 40 ? 0.1F : 0.001F * (k % 2 == 0 ? 1.2F : 0.8F));
  }
  EXPECT_NEAR(sound_end(levels, 0.1, 0.2, 0.9), 0.42, 1e-9);
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
