#include "heed/cli/duration.h"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace heed::duration_test
