#include "heed/base/error.h"

#include <gtest/gtest.h>

namespace heed::error_test {
namespace {

TEST(Error, SaysWhoSawWhatAndCarriesItsFault) {
  try {
    fail(Fault::file, "load: saw {} bytes, needs {}", 3, 8);
    FAIL() << "fail returned";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "load: saw 3 bytes, needs 8");
    EXPECT_EQ(error.fault(), Fault::file);
  }
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_THROW(require(false, "always"), Error);
}

}  // namespace
}  // namespace heed::error_test
