#include "heed/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "heed/base/error.h"
#include "heed/base/gzip_file.h"
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
                ": cannot open (No such file or directory); check the path and its permissions");
  EXPECT_EQ(file_fault_of([&] { read_file(scratch / "a", 4); }),
            scratch / "a" +
                ": it is larger than 4 bytes, the most that can be read; give a smaller file");
  EXPECT_EQ(file_fault_of([&] { read_file(scratch.path()); }),
            scratch.path() + ": this is a directory, not a file; name a file in it");
}

TEST(File, RefusesWhatIsNoFileByName) {
  const ScratchDirectory scratch;
  const std::string pipe = scratch / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // nobody will ever write to it
  EXPECT_EQ(file_fault_of([&] { read_file(pipe); }),
            pipe + ": this is a named pipe, not a file; name a regular file");
  EXPECT_EQ(file_fault_of([&] { read_gzip_or_plain(pipe); }),
            pipe + ": this is a named pipe, not a file; name a regular file");
  EXPECT_EQ(file_fault_of([&] { read_file("/dev/zero"); }),
            "/dev/zero: this is a device, not a file; name a regular file");
  EXPECT_EQ(read_file("/dev/null"), "");
}

/// As a shell's <(…) is one.
TEST(File, ReadsAPipeOfUnknownLength) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const std::string bytes(300000, 'p');
    for (size_t at = 0; at < bytes.size();) {
      at += static_cast<size_t>(write(ends[1], bytes.data() + at, bytes.size() - at));
    }
    _exit(0);
  }
  close(ends[1]);
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(ends[0])), std::string(300000, 'p'));
  close(ends[0]);
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
  EXPECT_TRUE(is_regular_file(scratch / "a"));
  EXPECT_FALSE(is_regular_file(scratch / "c"));
  EXPECT_FALSE(is_regular_file(scratch / "z"));
  EXPECT_FALSE(is_regular_file("/dev/null"));
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
