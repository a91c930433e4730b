#include "heed/metric/bit_parallel.h"

#include <gtest/gtest.h>

#include <random>

#include "heed/base/edit_distance.h"
#include "heed/base/error.h"

namespace heed::bit_parallel_test {
namespace {

/// l(i, j) = l(i−1, j−1) + 1 where a_i = b_j, else max(l(i−1, j), l(i, j−1))
int64_t common_by_definition(const Numbers& a, const Numbers& b) {
  std::vector<std::vector<int64_t>> l(a.size() + 1, std::vector<int64_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      l[i][j] = a[i - 1] == b[j - 1] ? l[i - 1][j - 1] + 1 : std::max(l[i - 1][j], l[i][j - 1]);
    }
  }
  return l[a.size()][b.size()];
}

Numbers drawn(std::mt19937& random, std::size_t length, uint32_t kinds) {
  Numbers numbers(length);
  for (uint32_t& number : numbers) {
    number = random() % kinds;
  }
  return numbers;
}

TEST(BitParallel, OfWordsByHand) {
  const std::vector<std::string> first = {"the", "cat", "sat", "down"};
  const std::vector<std::string> second = {"a", "cat", "sat"};
  Numbering numbering;
  const Numbers a = numbering.of(first);
  const Numbers b = numbering.of(second);
  EXPECT_EQ(a, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(b, (Numbers{4, 1, 2}));
  EXPECT_EQ(edits_between(a, b), 2);
  EXPECT_EQ(common_subsequence(a, b), 2);
  EXPECT_EQ(edits_between(a, {}), 4);
  EXPECT_EQ(edits_between({}, b), 3);
  EXPECT_EQ(edits_between({}, {}), 0);
  EXPECT_EQ(common_subsequence({}, b), 0);
}

TEST(BitParallel, EqualsTheDefinitionAtEveryLengthAroundABlock) {
  std::mt19937 random(1);
  for (const std::size_t m : {1, 2, 31, 63, 64, 65, 127, 128, 129, 200, 260}) {
    for (const std::size_t n : {1, 5, 63, 64, 65, 130, 257}) {
      for (const uint32_t kinds : {1U, 2U, 4U, 30U, 1000U}) {
        const Numbers a = drawn(random, m, kinds);
        Numbers b = drawn(random, n, kinds);
        if (random() % 2 == 0) {
          std::copy_n(a.begin(), std::min(m, n) / 2, b.begin());  // much alike
        }
        ASSERT_EQ(edits_between(a, b), static_cast<int64_t>(edit_distance(a, b))) << m << " " << n;
        ASSERT_EQ(common_subsequence(a, b), common_by_definition(a, b)) << m << " " << n;
      }
    }
  }
}

TEST(BitParallel, RefusesWhatWouldTakeHours) {
  Numbers a(1 << 21, 0);
  const Numbers b(1 << 21, 1);
  EXPECT_THROW(edits_between(a, b), Error);
  EXPECT_THROW(common_subsequence(a, b), Error);
  a.back() = 1;
  EXPECT_EQ(edits_between(a, a), 0);  // equal ends cost nothing
}

}  // namespace
}  // namespace heed::bit_parallel_test
