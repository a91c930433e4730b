#include "heed/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"

namespace heed::file_test {
namespace {

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class Fn>
std::string file_fault_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "no error";
}

TEST(File, ReadsWhole) {
  const ScratchDirectory scratch;
  std::string bytes;
  for (int i = 0; i < 100000; ++i) {
    bytes += static_cast<char>(i * 7 % 256);
  }
  put(scratch / "a", bytes);
  EXPECT_EQ(read_file(scratch / "a"), bytes);
  EXPECT_EQ(read_file(scratch / "a", bytes.size()), bytes);
  put(scratch / "empty", "");
  EXPECT_EQ(read_file(scratch / "empty"), "");
  EXPECT_FALSE(read_file("/proc/self/status").empty());  // a file that says it has no bytes
}

TEST(File, SaysWhyItCannotRead) {
  const ScratchDirectory scratch;
  put(scratch / "a", "12345");
  EXPECT_EQ(file_fault_of([&] { read_file(scratch / "none"); }),
            scratch / "none" +
                ": cannot open (No such file or directory); check the path and your rights");
  EXPECT_EQ(file_fault_of([&] { read_file(scratch / "a", 4); }),
            scratch / "a" + ": saw more than 4 bytes, needs at most that; give a smaller file");
  EXPECT_EQ(file_fault_of([&] { read_file(scratch.path()); }),
            scratch.path() + ": saw a directory, needs a file; name a file in it");
  EXPECT_NE(file_fault_of([&] { read_file("/dev/zero", 1 << 20); }).find("more than 1048576"),
            std::string::npos);
}

TEST(File, ReadsAPipeOfUnknownLength) {
  const ScratchDirectory scratch;
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    put(scratch / "pipe", std::string(300000, 'p'));
    _exit(0);
  }
  EXPECT_EQ(read_file(scratch / "pipe"), std::string(300000, 'p'));
  waitpid(writer, nullptr, 0);
}

TEST(File, KnowsWhatIsThere) {
  const ScratchDirectory scratch;
  put(scratch / "b", "");
  put(scratch / "a", "");
  make_directory(scratch / "c/d/e");
  make_directory(scratch / "c/d/e");
  EXPECT_EQ(list_directory(scratch.path()), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(file_exists(scratch / "a"));
  EXPECT_FALSE(file_exists(scratch / "c"));
  EXPECT_FALSE(file_exists(scratch / "z"));
  EXPECT_TRUE(directory_exists(scratch / "c/d/e"));
  EXPECT_FALSE(directory_exists(scratch / "a"));
  EXPECT_THROW(list_directory(scratch / "z"), Error);
  EXPECT_THROW(make_directory(scratch / "a"), Error);
  EXPECT_THROW(make_directory(scratch / "a/b"), Error);
  EXPECT_GT(free_bytes(scratch.path()), 0U);
  EXPECT_GT(free_bytes(scratch / "not yet"), 0U);
  EXPECT_EQ(directory_of("a"), ".");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("x/y/z"), "x/y");
}

}  // namespace
}  // namespace heed::file_test
