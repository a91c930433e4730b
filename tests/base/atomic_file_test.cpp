// Fails the n-th system call for every n, and kills the process at every point, of an atomic write.
#include "heed/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "tests/base/killed_save.h"
#include "tests/base/scratch_directory.h"

namespace {

/// Which call of which kind fails, and how; the test's own write, fsync and rename below consult
/// it.
struct FaultPlan {
  std::string call;
  int after = 0;
  int reason = 0;
  bool reached = false;

  bool strikes(const char* name) {
    if (call != name || after-- != 0) {
      return false;
    }
    reached = true;
    errno = reason;
    return true;
  }
};
FaultPlan plan;
std::size_t most_bytes_a_write = SIZE_MAX;

}  // namespace

// These replace the C library's functions for the code under test.
extern "C" ssize_t write(int file, const void* data, size_t bytes) {
  return plan.strikes("write")
             ? -1
             : syscall(SYS_write, file, data, std::min(bytes, most_bytes_a_write));
}
extern "C" int fsync(int file) {
  return plan.strikes("fsync") ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  return plan.strikes("rename")
             ? -1
             : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace heed::atomic_file_test {
namespace {

const std::string old_bytes = "the old file";
const std::string new_bytes = std::string(1500000, 'n') + "the new file";  // two pieces

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override { put(path, old_bytes); }
  void TearDown() override {
    plan = FaultPlan();
    most_bytes_a_write = SIZE_MAX;
  }
  /// The message, or nothing when the write went through.
  std::string write_and_catch() {
    std::string message;
    try {
      write_atomically(path, new_bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::disk);
      message = error.what();
    }
    plan.call.clear();  // the test's own files must not fail
    return message;
  }

  ScratchDirectory scratch;
  std::string path = scratch / "file";
};

TEST_F(AtomicFileTest, ReplacesTheFileAndLeavesNothingElse) {
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  write_atomically(path, new_bytes);
  EXPECT_EQ(read_file(path), new_bytes);
  write_atomically(scratch / "fresh", "");
  EXPECT_EQ(read_file(scratch / "fresh"), "");
  EXPECT_EQ(list_directory(scratch.path()), (std::vector<std::string>{"file", "fresh"}));
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(AtomicFileTest, NothingShowsUntilTheCommit) {
  {
    AtomicFile file(path);
    file.write("one ");
    file.write("two");
    EXPECT_EQ(read_file(path), old_bytes);
    file.commit();
    EXPECT_EQ(read_file(path), "one two");
    EXPECT_THROW(file.commit(), Error);
    EXPECT_THROW(file.write("three"), Error);
  }
  {
    AtomicFile file(path);
    file.write("forgotten");
  }
  EXPECT_EQ(read_file(path), "one two");
  EXPECT_EQ(list_directory(scratch.path()), std::vector<std::string>{"file"});
}

TEST_F(AtomicFileTest, KeepsASymbolicLinkALink) {
  std::filesystem::create_symlink("file", scratch / "link");
  write_atomically(scratch / "link", "through");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  EXPECT_EQ(read_file(path), "through");
}

TEST_F(AtomicFileTest, RefusesWhatIsNoFile) {
  EXPECT_THROW(write_atomically(scratch.path(), "x"), Error);
  EXPECT_THROW(write_atomically("/dev/null", "x"), Error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(write_atomically(scratch / "no such/file", "x"), Error);
}

TEST_F(AtomicFileTest, ShortWritesAndSignalsAreGoneThrough) {
  most_bytes_a_write = 70001;
  plan = {"write", 3, EINTR};
  EXPECT_EQ(write_and_catch(), "");
  EXPECT_TRUE(plan.reached);
  EXPECT_EQ(read_file(path), new_bytes);
}

TEST_F(AtomicFileTest, EveryFailedCallLeavesTheOldFileOrTheWholeNewOne) {
  for (const char* call : {"write", "fsync", "rename"}) {
    int failures = 0;
    for (int n = 0;; ++n) {
      put(path, old_bytes);
      plan = {call, n, EIO};
      const std::string message = write_and_catch();
      if (!plan.reached) {
        break;
      }
      ++failures;
      EXPECT_NE(message.find(path + ": cannot "), std::string::npos) << message;
      EXPECT_NE(message.find("Input/output error"), std::string::npos) << message;
      // The directory's own sync comes after the rename: by then the new file is whole and in
      // place.
      const bool renamed = std::string(call) == "fsync" && n == 1;
      EXPECT_EQ(read_file(path), renamed ? new_bytes : old_bytes) << call << " " << n;
      EXPECT_EQ(list_directory(scratch.path()), std::vector<std::string>{"file"}) << call << n;
    }
    EXPECT_EQ(failures, std::string(call) == "write" ? 2 : std::string(call) == "fsync" ? 2 : 1);
  }
}

TEST_F(AtomicFileTest, AFullDiskSaysHowMuchIsMissing) {
  plan = {"write", 1, ENOSPC};
  const std::string message = write_and_catch();
  EXPECT_NE(
      message.find(path + ": cannot write it (No space left on device): needs 1500012 bytes, "),
      std::string::npos)
      << message;
  EXPECT_NE(message.find(" free; make room"), std::string::npos) << message;
  EXPECT_EQ(read_file(path), old_bytes);
  EXPECT_EQ(list_directory(scratch.path()), std::vector<std::string>{"file"});
  EXPECT_EQ(write_and_catch(), "");  // once there is room again
  EXPECT_EQ(read_file(path), new_bytes);
}

TEST_F(AtomicFileTest, ADiskWithoutRoomIsSeenBeforeWriting) {
  EXPECT_THROW(AtomicFile(path, std::uint64_t{1} << 62), Error);
  EXPECT_EQ(list_directory(scratch.path()), std::vector<std::string>{"file"});
}

/// The status of a child that wrote the file twice and was killed at the n-th point of that kind.
int status_after_crash(const std::string& path, SavePoint kind, int n) {
  const pid_t child = fork();
  if (child == 0) {
    test::kill_at(kind, n);
    write_atomically(path, new_bytes);
    write_atomically(path, new_bytes + "!");
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(AtomicFileTest, KilledAnywhereTheFileIsWhole) {
  for (const SavePoint kind : {SavePoint::write, SavePoint::sync, SavePoint::rename}) {
    const int points = kind == SavePoint::rename ? 2 : 4;
    for (int n = 1; n <= points + 1; ++n) {
      put(path, old_bytes);
      const int status = status_after_crash(path, kind, n);
      if (n > points) {
        EXPECT_EQ(status, 0) << "more points than thought";
        continue;
      }
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
          << static_cast<int>(kind) << ":" << n;
      const bool second = n > points / 2;
      const bool renamed = kind == SavePoint::sync && n % 2 == 0;
      const std::string before = second ? new_bytes : old_bytes;
      const std::string after = second ? new_bytes + "!" : new_bytes;
      EXPECT_EQ(read_file(path) == (renamed ? after : before), true)
          << static_cast<int>(kind) << ":" << n;
    }
  }
}

}  // namespace
}  // namespace heed::atomic_file_test
