#include "heed/media/quiet_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/media/sound_bytes.h"

namespace heed::quiet_cuts_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Blocks of 10 ms, loud but for these stretches of blocks, in which they have the given power.
struct Quiet {
  size_t first;
  size_t last;
  float power;
};

SoundLevels loud(size_t blocks, const std::vector<Quiet>& quiet) {
  SoundLevels levels;
  levels.power.assign(blocks, 1);
  for (const Quiet& one : quiet) {
    std::fill(levels.power.begin() + static_cast<std::ptrdiff_t>(one.first),
              levels.power.begin() + static_cast<std::ptrdiff_t>(one.last), one.power);
  }
  return levels;
}

TEST(QuietCuts, AreInTheMiddleOfPauses) {
  // 10 s, parts of at most 4 s: a pause of 0.5 s around 3 s, a longer but louder one around 3.7 s, one
  // around 6 s. The first stretch that may be cut is 2 to 4 s.
  const SoundLevels levels = loud(1000, {{275, 325, 0.001F}, {340, 400, 0.5F}, {590, 611, 0.001F}});
  const std::vector<double> cuts = quiet_cuts(levels, 4);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_GE(cuts[0], 2.85);  // the whole smoothed window is quiet from here
  EXPECT_LE(cuts[0], 3.15);
  EXPECT_NEAR(cuts[1], 6.0, 1e-9);  // exactly 21 quiet blocks
}

TEST(QuietCuts, AreThoseOfTheFormulaHoweverLongTheRecording) {
  SoundLevels levels;
  uint32_t state = 1;
  for (int k = 0; k < 20'000; ++k) {
    state = state * 1664525U + 1013904223U;
    levels.power.push_back(static_cast<float>(state >> 8));
  }
  const auto smooth = [&levels](size_t k) {
    double sum = 0;
    const size_t first = k < 10 ? 0 : k - 10;
    const size_t last = std::min<size_t>(k + 11, levels.power.size());
    for (size_t j = first; j < last; ++j) {
      sum += levels.power[j];
    }
    return sum / static_cast<double>(last - first);
  };
  std::vector<double> expected;
  for (size_t from = 0; levels.power.size() - from > 300;) {
    size_t quietest = from + 150;
    for (size_t k = quietest; k <= from + 300; ++k) {
      quietest = smooth(k) < smooth(quietest) ? k : quietest;
    }
    from = quietest;
    expected.push_back(static_cast<double>(from) * levels.block_seconds);
  }
  EXPECT_EQ(quiet_cuts(levels, 3), expected);
}

TEST(QuietCuts, NoPartIsLongerThanAllowed) {
  for (const size_t blocks : {401U, 799U, 800U, 801U, 5003U}) {
    const SoundLevels levels = loud(blocks, {});
    double from = 0;
    std::vector<double> cuts = quiet_cuts(levels, 4);
    cuts.push_back(levels.seconds());
    for (const double cut : cuts) {
      EXPECT_LE(cut - from, 4 + 1e-9);
      EXPECT_GT(cut, from);
      from = cut;
    }
  }
  EXPECT_THAT(quiet_cuts(loud(400, {}), 4), IsEmpty());
  EXPECT_THAT(quiet_cuts({}, 4), IsEmpty());
  EXPECT_THROW(quiet_cuts(loud(400, {}), 0.01), Error);
}

TEST(SoundLevels, AreTheMeanSquaresOfBlocks) {
  // 100 blocks a second, at 1100 samples a second 11 samples each: eleven of ½, then 5 of −¼.
  std::vector<int16_t> samples(11, 16'384);
  samples.insert(samples.end(), 5, -8192);
  const auto bytes = test::wav_of(samples, 1100);
  const SoundLevels levels = sound_levels(bytes, "call.wav");
  EXPECT_EQ(levels.block_seconds, 0.01);
  EXPECT_THAT(levels.power, ElementsAre(0.25F, 0.0625F));
  EXPECT_THROW(sound_levels({}, "call.wav"), Error);
  EXPECT_DOUBLE_EQ(sound_seconds(bytes, "call.wav"), 16 / 1100.0);
}

}  // namespace
}  // namespace heed::quiet_cuts_test
