#include "heed/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "heed/base/error.h"

namespace heed::test::temporary_folder_test {
namespace {

using ::testing::HasSubstr;

TEST(TemporaryFolder, IsRemovedWithWhatIsInIt) {
  std::string path;
  {
    const TemporaryFolder one;
    const TemporaryFolder other;
    EXPECT_NE(one.path(), other.path());
    path = one.path();
    EXPECT_TRUE(std::filesystem::is_empty(path));
    std::filesystem::create_directory(one / "inside");
    std::ofstream(one / "inside/file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path + "/inside/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Sets TMPDIR and puts it back.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const char* path) {
    if (const char* before = std::getenv("TMPDIR")) {
      before_ = before;
    }
    ::setenv("TMPDIR", path, 1);
  }
  ~TemporaryPlace() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(TemporaryFolder, SaysThatItCannotBeMade) {
  const TemporaryPlace place("/proc");  // nobody can make a folder there
  try {
    const TemporaryFolder folder;
    FAIL() << folder.path();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::disk);
    EXPECT_THAT(error.what(), HasSubstr("TMPDIR"));
  }
}

}  // namespace
}  // namespace heed::test::temporary_folder_test
