#include <gtest/gtest.h>

#include <limits>

#include "heed/cli/progress.h"

namespace heed::duration_test {
namespace {

TEST(Duration, ReadsAsPeopleWrite) {
  EXPECT_EQ(format_duration(0), "0.0s");
  EXPECT_EQ(format_duration(3.24), "3.2s");
  EXPECT_EQ(format_duration(9.94), "9.9s");
  EXPECT_EQ(format_duration(9.96), "10s");
  EXPECT_EQ(format_duration(59.4), "59s");
  EXPECT_EQ(format_duration(59.6), "1m00s");
  EXPECT_EQ(format_duration(192), "3m12s");
  EXPECT_EQ(format_duration(3599.9), "1h00m");
  EXPECT_EQ(format_duration(2 * 3600 + 5 * 60), "2h05m");
  EXPECT_EQ(format_duration(86400 * 4 + 3 * 3600 + 59 * 60), "4d03h");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
}

TEST(Duration, OfAStepHasAUnitForPeople) {
  EXPECT_EQ(format_short_time(0.000351), "0.35 ms");
  EXPECT_EQ(format_short_time(0.0451), "45 ms");
  EXPECT_EQ(format_short_time(0.9999), "1.0 s");
  EXPECT_EQ(format_short_time(1.2), "1.2 s");
  EXPECT_EQ(format_short_time(75), "1m15s");
  EXPECT_EQ(format_short_time(-1), "?");
}

TEST(Duration, ARateIsNeverInPowersOfTen) {
  EXPECT_EQ(format_rate(3.918, "step"), "3.92 steps/s");
  EXPECT_EQ(format_rate(1234.5, "step"), "1234 steps/s");
  EXPECT_EQ(format_rate(0.4, "step"), "2.5 s a step");
  EXPECT_EQ(format_rate(0, "step"), "0 steps/s");
  EXPECT_EQ(format_rate(12, ""), "12/s");
}

}  // namespace
}  // namespace heed::duration_test
