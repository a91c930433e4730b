#include "heed/data/spill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "tests/base/scratch_directory.h"

namespace heed::spill_test {
namespace {

using ::testing::HasSubstr;

std::vector<int> sequence(int number) {
  std::vector<int> all(static_cast<std::size_t>(number * 31 % 97));
  std::iota(all.begin(), all.end(), number);
  return all;
}

TEST(Sequences, AreTheSameInMemoryAndOnDisk) {
  const ScratchDirectory scratch;
  constexpr int count = 20000;  // some megabytes: more than is written at once
  for (const std::uint64_t memory :
       {std::uint64_t{1} << 30, std::uint64_t{100'000}, std::uint64_t{0}}) {
    Sequences<int> all({scratch / "made", memory});
    for (int i = 0; i < count; ++i) {
      all.add(sequence(i));
    }
    all.finish();
    EXPECT_EQ(all.is_on_disk(), memory < std::uint64_t{1} << 30);
    ASSERT_EQ(all.size(), count);
    std::uint64_t items = 0;
    for (int i = 0; i < count; ++i) {
      const auto seen = all.at(i);
      const auto expected = sequence(i);
      ASSERT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin(), expected.end())) << i;
      EXPECT_EQ(all.length(i), expected.size());
      items += expected.size();
    }
    EXPECT_EQ(all.items(), items);
    all.release();
    EXPECT_EQ(all.at(100)[3], 103);
  }
  EXPECT_TRUE(list_directory(scratch / "made").empty()) << "a file with a name was left";
}

TEST(Sequences, ThatAreAddedAgainTakeNoMoreItems) {
  const ScratchDirectory scratch;
  for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{0}}) {
    Sequences<int> all({scratch.path(), memory});
    all.add(std::vector{1, 2, 3});
    all.add_again();
    all.add_again();
    all.add(std::vector{4});
    all.add(std::vector<int>{});
    all.add_again();
    all.add(std::vector{5, 6});
    all.add_again();
    all.finish();
    const std::vector<std::vector<int>> expected = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {4},
                                                    {},        {},        {5, 6},    {5, 6}};
    ASSERT_EQ(all.size(), 8);
    EXPECT_EQ(all.items(), 6U);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_EQ(std::vector<int>(all.at(at).begin(), all.at(at).end()), expected[i]) << i;
      EXPECT_EQ(all.length(at), expected[i].size());
    }
  }
}

TEST(Sequences, OutliveAMove) {
  const ScratchDirectory scratch;
  Sequences<int> one({scratch.path(), 10});
  one.add(sequence(5));
  one.add({});
  one.finish();
  Sequences<int> two = std::move(one);
  EXPECT_EQ(two.length(0), sequence(5).size());
  EXPECT_EQ(two.at(0)[1], 6);
  EXPECT_EQ(two.length(1), 0U);
}

TEST(Sequences, OfNothingAreNone) {
  Sequences<int> all({"", 0});
  all.finish();
  EXPECT_EQ(all.size(), 0);
}

std::string fault_of(const std::string& folder) {
  try {
    Sequences<char> all({folder, 10});
    const std::string text(1 << 16, 'x');
    for (int i = 0; i < 40; ++i) {
      all.add({text.data(), text.size()});
    }
    all.finish();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::disk);
    return error.what();
  }
  return "nothing failed";
}

TEST(Sequences, SayWhenTheDiskIsFull) {
  const ScratchDirectory scratch;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1 << 20;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = fault_of(scratch.path());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(said, HasSubstr(scratch.path() + ": cannot write the file of data that does not fit "
                                               "into memory (File too large)"));
  EXPECT_THAT(said, HasSubstr("bytes are free; make room there, or allow more memory"));
}

TEST(Sequences, SayWhereNoFileCanBeMade) {
  EXPECT_THAT(fault_of("/proc/self"), HasSubstr("/proc/self: cannot make the file of data"));
}

}  // namespace
}  // namespace heed::spill_test
