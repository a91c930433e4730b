#include "heed/media/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "tests/media/sound_bytes.h"

namespace heed::resample_test {
namespace {

using test::sine;

/// The largest difference from `expected`, without the ends, where the filter sees silence.
double worst(const Sound& sound, const Sound& expected) {
  double most = 0;
  const std::size_t size = std::min(sound.samples.size(), expected.samples.size());
  for (std::size_t i = size / 4; i < size * 3 / 4; ++i) {
    most = std::max<double>(most, std::abs(sound.samples[i] - expected.samples[i]));
  }
  return most;
}

TEST(Resample, ASineKeepsItsFormAtAnyRate) {
  for (const int32_t from : {8000, 11'025, 16'000, 44'100, 48'000}) {
    for (const int32_t to : {8000, 16'000, 22'050}) {
      const Sound out = resampled(sine(1000, from, 0.5), to);
      EXPECT_EQ(out.rate, to);
      EXPECT_NEAR(static_cast<double>(out.samples.size()), to * 0.5, 1.01) << from << " " << to;
      EXPECT_LT(worst(out, sine(1000, to, 0.5)), 1e-4) << from << " to " << to;
    }
  }
}

TEST(Resample, WhatTheLowerRateCannotHoldIsRemoved) {
  const Sound out = resampled(sine(6000, 48'000, 0.5), 8000);
  EXPECT_LT(worst(out, sine(0, 8000, 0.5)), 1e-4);
}

TEST(Resample, TheSameRateIsTheSameSound) {
  const Sound tone = sine(1000, 16'000, 0.1);
  EXPECT_EQ(resampled(tone, 16'000).samples, tone.samples);
  EXPECT_EQ(sped_up(tone, 1).samples, tone.samples);
  EXPECT_TRUE(resampled({16'000, {}}, 8000).samples.empty());
  EXPECT_THROW(resampled({0, {1}}, 8000), Error);
}

TEST(Resample, FasterIsShorterAndHigher) {
  const Sound out = sped_up(sine(1000, 16'000, 0.5), 1.25);
  EXPECT_EQ(out.rate, 16'000);
  EXPECT_NEAR(static_cast<double>(out.samples.size()), 6400, 1.01);
  EXPECT_LT(worst(out, sine(1250, 16'000, 0.4)), 1e-4);
  EXPECT_THROW(sped_up(out, 0), Error);
}

}  // namespace
}  // namespace heed::resample_test
