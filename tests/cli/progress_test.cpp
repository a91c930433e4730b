#include "heed/cli/progress.h"

#include <gtest/gtest.h>

#include "tests/cli/captured_log.h"

namespace heed::progress_test {
namespace {

class ProgressTest : public testing::Test {
 protected:
  ProgressOptions options(std::int64_t total) {
    ProgressOptions made;
    made.label = "train";
    made.unit = "step";
    made.total = total;
    made.clock = [this] { return now; };
    return made;
  }
  /// `steps` steps of `seconds` each.
  void walk(Progress& progress, int steps, double seconds, std::string_view note = {}) {
    for (int i = 0; i < steps; ++i) {
      now += seconds;
      progress.advance(1, note);
    }
  }

  double now = 1000;
};

TEST_F(ProgressTest, PlainLinesEveryThirtySecondsWithoutCarriageReturns) {
  CapturedLog log(false);
  Progress progress(options(1000));
  walk(progress, 119, 0.25);
  EXPECT_EQ(log.take(), "");
  walk(progress, 1, 0.25, "loss 3.21");
  EXPECT_EQ(log.take(), "train 120/1000 12%, ETA 3m40s, 4 steps/s, loss 3.21\n");
  walk(progress, 240, 0.25);
  EXPECT_EQ(log.take(),
            "train 240/1000 24%, ETA 3m10s, 4 steps/s\ntrain 360/1000 36%, ETA 2m40s, 4 steps/s\n");
  progress.finish("loss 3.00");
  EXPECT_EQ(log.take(), "train 360/1000 36%, in 1m30s, loss 3.00\n");
}

TEST_F(ProgressTest, ATerminalGetsOneLineRedrawn) {
  CapturedLog log(true);
  {
    Progress progress(options(10));
    walk(progress, 1, 0.0625);
    EXPECT_EQ(log.take(), "");
    walk(progress, 1, 0.0625);
    EXPECT_EQ(log.take(), "\r\x1b[Ktrain 2/10 20%, ETA 0.5s, 16 steps/s");
    progress.finish();
    EXPECT_EQ(log.take(), "\r\x1b[Ktrain 2/10 20%, in 0.1s\n");
    walk(progress, 1, 1);
    EXPECT_NE(log.take(), "");
  }
  EXPECT_EQ(log.take(), "\r\x1b[K");
}

TEST_F(ProgressTest, TheRateIsThatOfTheLastMinute) {
  CapturedLog log(false);
  Progress progress(options(100000));
  EXPECT_LT(progress.remaining_seconds(), 0);
  walk(progress, 600, 1);
  EXPECT_NEAR(progress.rate(), 1, 1e-9);
  walk(progress, 700, 0.1);  // 70 seconds of ten a second
  EXPECT_NEAR(progress.rate(), 10, 0.2);
  EXPECT_NEAR(progress.remaining_seconds(), (100000 - 1300) / 10.0, 200);
}

TEST_F(ProgressTest, StepsLongerThanTheWindowStillHaveARate) {
  CapturedLog log(false);
  Progress progress(options(10));
  walk(progress, 3, 200);
  EXPECT_NEAR(progress.rate(), 1.0 / 200, 1e-9);
  EXPECT_NEAR(progress.remaining_seconds(), 1400, 1e-6);
}

TEST_F(ProgressTest, PausesDoNotCount) {
  CapturedLog log(false);
  Progress progress(options(100));
  walk(progress, 10, 1);
  progress.pause();
  now += 500;
  EXPECT_NEAR(progress.rate(), 1, 1e-9);
  progress.resume();
  progress.resume();
  walk(progress, 10, 1);
  EXPECT_NEAR(progress.rate(), 1, 1e-9);
  EXPECT_NEAR(progress.remaining_seconds(), 80, 1e-6);
}

TEST_F(ProgressTest, WhatWasDoneBeforeIsNotCountedAsSpeed) {
  CapturedLog log(false);
  ProgressOptions resumed = options(1000);
  resumed.already_done = 900;
  Progress progress(resumed);
  walk(progress, 10, 1);
  EXPECT_EQ(progress.done(), 910);
  EXPECT_NEAR(progress.rate(), 1, 1e-9);
  EXPECT_NEAR(progress.remaining_seconds(), 90, 1e-6);
}

TEST_F(ProgressTest, WithoutATotalThereIsNoEta) {
  CapturedLog log(false);
  Progress progress(options(0));
  walk(progress, 30, 1);
  EXPECT_EQ(log.take(), "train 30, 1 steps/s\n");
}

/// What is looked for comes first; the rest goes item by item.
TEST_F(ProgressTest, ANarrowTerminalLosesTheLastItems) {
  const std::string note = "loss 3.2912, epoch 1, 3089 tokens/s, lr 3.92e-04, norm 0.42";
  const struct {
    int columns;
    const char* expected;
  } cases[] = {
      {200,
       "train 2/10 20%, ETA 0.5s, 16 steps/s, loss 3.2912, epoch 1, 3089 tokens/s, lr 3.92e-04, "
       "norm 0.42"},
      {80, "train 2/10 20%, ETA 0.5s, 16 steps/s, loss 3.2912, epoch 1, 3089 tokens/s"},
      {40, "train 2/10 20%, ETA 0.5s, 16 steps/s"},
      {30, "train 2/10 20%, ETA 0.5s"},
      {10, "train 2/1"},
  };
  for (const auto& one : cases) {
    CapturedLog log(true, one.columns);
    Progress progress(options(10));
    walk(progress, 2, 0.0625, note);
    EXPECT_EQ(log.take(), std::string("\r\x1b[K") + one.expected) << one.columns;
  }
}

TEST_F(ProgressTest, QuietIsQuiet) {
  CapturedLog log(false);
  set_verbosity(Verbosity::quiet);
  Progress progress(options(10));
  walk(progress, 10, 100);
  progress.finish();
  EXPECT_EQ(log.take(), "");
}

}  // namespace
}  // namespace heed::progress_test
