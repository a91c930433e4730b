#include "heed/train/patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/train/schedules.h"

namespace heed::patience_test {
namespace {

TEST(Patience, CountsValidationsWithoutGain) {
  Training training;
  training.patience = 2;
  training.min_gain = 0.1;
  const Patience patience(training, false);
  Gains gains;
  EXPECT_TRUE(patience.judge(gains, 3, 10).gained);  // the first is the best
  EXPECT_TRUE(patience.judge(gains, 2, 20).gained);
  EXPECT_FALSE(patience.judge(gains, 1.95, 30).gained);  // better, but not by enough
  EXPECT_FALSE(patience.is_lost(gains));
  EXPECT_TRUE(patience.judge(gains, 1.85, 40).gained);  // the best is still that of step 20
  EXPECT_EQ(gains.without_gain, 0);
  EXPECT_FALSE(patience.judge(gains, 5, 50).gained);
  EXPECT_FALSE(patience.judge(gains, std::nan(""), 60).gained);
  EXPECT_TRUE(patience.is_lost(gains));
  EXPECT_EQ(gains.best, 1.85);
  EXPECT_EQ(gains.best_step, 40);
  EXPECT_EQ(patience.reason(gains, 60),
            "stopping early after step 60: loss has not gained for 2 validations (the best was "
            "1.85 at step 40)");
}

TEST(Patience, KnowsMetricsOfWhichMoreIsBetter) {
  const Training training;
  const Patience patience(training, true);
  Gains gains;
  EXPECT_TRUE(patience.judge(gains, 10, 1).gained);
  EXPECT_FALSE(patience.judge(gains, 9, 2).gained);
  EXPECT_FALSE(patience.judge(gains, 10, 3).gained);
  EXPECT_TRUE(patience.judge(gains, 10.5, 4).gained);
}

TEST(Patience, IsEndlessUnlessToldOtherwise) {
  const Training training;
  const Patience patience(training, false);
  Gains gains;
  for (int64_t step = 1; step < 100; ++step) {
    patience.judge(gains, INFINITY, step);
  }
  EXPECT_EQ(gains.without_gain, 99);
  EXPECT_FALSE(gains.best);
  EXPECT_FALSE(patience.is_lost(gains));
  EXPECT_THAT(patience.reason(gains, 99), ::testing::HasSubstr("none was finite"));
}

TEST(Patience, LetsTheRateFallAndBeginsAnew) {
  Training training;
  training.schedule = make_part(schedules(), "plateau");  // after three without gain
  const Patience patience(training, false);
  Gains gains;
  std::string falls;
  for (const double score : {1, 2, 2, 2, 2, 2, 2, 0, 2, 2, 2}) {
    falls += patience.judge(gains, score, 1).rate_falls ? 'f' : '.';
  }
  EXPECT_EQ(falls, "...f..f...f");
  EXPECT_EQ(gains.falls, 3);
  EXPECT_EQ(gains.since_fall, 0);
}

}  // namespace
}  // namespace heed::patience_test
