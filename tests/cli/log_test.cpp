#include "heed/cli/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/cli/captured_log.h"

namespace heed::log_test {
namespace {

std::string said_at(Verbosity chosen) {
  CapturedLog log(false);
  set_verbosity(chosen);
  log_info("info {}", 1);
  log_warning("careful {}", 3);
  return log.take();
}

TEST(Log, SaysAsMuchAsAskedFor) {
  EXPECT_EQ(said_at(Verbosity::quiet), "warning: careful 3\n");
  EXPECT_EQ(said_at(Verbosity::normal), "info 1\nwarning: careful 3\n");
}

TEST(Log, AStatusLineStaysBelow) {
  CapturedLog log(true);
  show_status("half way");
  EXPECT_EQ(log.take(), "\r\x1b[Khalf way");
  log_info("news");
  EXPECT_EQ(log.take(), "\r\x1b[Knews\nhalf way");
  show_status("");
  EXPECT_EQ(log.take(), "\r\x1b[K");
  show_status("");
  log_info("more");
  EXPECT_EQ(log.take(), "more\n");
}

TEST(Log, AStatusLineIsCutBetweenCharacters) {
  CapturedLog log(true, 6);
  show_status("abc\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(log.take(),
            "\r\x1b[K"
            "abc\xC3\xA9\xE2\x82\xAC");
}

TEST(Log, NoStatusWithoutATerminal) {
  CapturedLog log(false);
  show_status("half way");
  log_info("news");
  EXPECT_EQ(log.take(), "news\n");
  EXPECT_FALSE(log_is_terminal());
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  CapturedLog log(false);
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([i] { log_info("{}", std::string(100, static_cast<char>('a' + i))); });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  const std::string text = log.take();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NE(text.find(std::string(100, static_cast<char>('a' + i)) + "\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace heed::log_test
