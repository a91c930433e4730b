#include "heed/base/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "heed/base/shuffle.h"

namespace heed::philox_test {
namespace {

// Random123's kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, GivesThePublishedAnswers) {
  constexpr Philox::Block zeros = Philox{0}(0, 0);
  static_assert(zeros == Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(Philox{ones}(ones, ones),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox{0x299f31d0a4093822}(0x85a308d3243f6a88, 0x0370734413198a2e),
            (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UnitIntervalsHaveTheRightEnds) {
  constexpr std::uint32_t top = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t top64 = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(unit_float(0), 0.0F);
  EXPECT_EQ(unit_float(top), 1.0F - 0x1p-24F);
  EXPECT_EQ(unit_float_above_zero(0), 0x1p-32F);
  EXPECT_EQ(unit_float_above_zero(top), 1.0F);
  EXPECT_EQ(unit_double(0), 0.0);
  EXPECT_EQ(unit_double(top64), 1.0 - 0x1p-53);
  EXPECT_EQ(unit_double_above_zero(0), 0x1p-53);
  EXPECT_EQ(unit_double_above_zero(top64), 1.0);
}

TEST(Draws, AreTheWordsOfThePhiloxTheyShow) {
  const Draws draws(RandomKey{11, 22, 33});
  for (std::uint64_t e = 0; e < 40; ++e) {
    EXPECT_EQ(draws.bits(e), draws.philox()(e / 4, 22)[e % 4]);
    EXPECT_EQ(draws.uniform(e), unit_float(draws.bits(e)));
    EXPECT_EQ(draws.normal(e), draws.normals(e / 4)[e % 4]);
  }
}

TEST(Draws, DifferByEverySeedStepAndStream) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t step = 0; step < 8; ++step) {
      for (std::uint64_t stream = 0; stream < 8; ++stream) {
        seen.insert(Draws(RandomKey{seed, step, stream}).bits64(0));
      }
    }
  }
  EXPECT_EQ(seen.size(), 512U);
  static_assert(stream_named("a") != stream_named("b"));
  static_assert(stream_named("") == 0xCBF29CE484222325U);
  static_assert(stream_named("foobar") == 0x85944171F73967E8U);  // FNV's own test vector
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};

template <class Fn>
Moments moments(int count, Fn value) {
  Moments m;
  for (int i = 0; i < count; ++i) {
    m.mean += value(i) / count;
  }
  for (int i = 0; i < count; ++i) {
    const double d = value(i) - m.mean;
    m.variance += d * d / count;
    m.skew += d * d * d / count;
    m.kurtosis += d * d * d * d / count;
  }
  return m;
}

// Bounds are five standard errors of each sample moment.
TEST(Draws, UniformHasTheMomentsOfTheUniform) {
  constexpr int count = 20000;
  const Draws draws(RandomKey{1, 2, 3});
  const Moments narrow = moments(count, [&](int i) { return double{draws.uniform(i)}; });
  const Moments wide = moments(count, [&](int i) { return draws.uniform_double(i); });
  for (const Moments& m : {narrow, wide}) {
    EXPECT_NEAR(m.mean, 0.5, 5 * std::sqrt(1.0 / 12 / count));
    EXPECT_NEAR(m.variance, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / count));
  }
}

TEST(Draws, NormalHasTheMomentsOfTheNormalAndIndependentNeighbours) {
  constexpr int count = 20000;
  const Draws draws(RandomKey{4, 5, 6});
  const Moments narrow = moments(count, [&](int i) { return double{draws.normal(i)}; });
  const Moments wide = moments(count, [&](int i) { return draws.normal_double(i); });
  for (const Moments& m : {narrow, wide}) {
    EXPECT_NEAR(m.mean, 0.0, 5 * std::sqrt(1.0 / count));
    EXPECT_NEAR(m.variance, 1.0, 5 * std::sqrt(2.0 / count));
    EXPECT_NEAR(m.skew, 0.0, 5 * std::sqrt(15.0 / count));
    EXPECT_NEAR(m.kurtosis, 3.0, 5 * std::sqrt(96.0 / count));
  }
  for (const int lag : {1, 2, 3, 4}) {
    const Moments product = moments(
        count, [&](int i) { return double{draws.normal(i)} * double{draws.normal(i + lag)}; });
    EXPECT_NEAR(product.mean, 0.0, 5 / std::sqrt(count)) << "lag " << lag;
  }
}

TEST(Draws, BelowIsUniformAndRefusesTheBiasedTail) {
  const Draws draws(RandomKey{7, 8, 9});
  std::vector<int> counts(7);
  for (std::uint64_t e = 0; e < 70000; ++e) {
    ++counts.at(draws.below(e, 7));
  }
  double chi_square = 0;
  for (const int count : counts) {
    chi_square += (count - 10000.0) * (count - 10000.0) / 10000.0;
  }
  EXPECT_LT(chi_square, 35.0);  // 6 degrees of freedom: p < 5e-6

  // With bound 2^63 + 1 nearly half the words are refused. A plain modulus would give the low
  // values twice as often as the high ones, which their share would show.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  int low = 0;
  for (std::uint64_t e = 0; e < 20000; ++e) {
    const std::uint64_t value = draws.below(e, bound);
    ASSERT_LT(value, bound);
    low += value < bound / 2 ? 1 : 0;
  }
  EXPECT_NEAR(low, 10000, 5 * std::sqrt(5000.0));
  EXPECT_EQ(draws.below(3, 1), 0U);
}

TEST(Shuffle, IsAPermutationThatDependsOnSeedAndEpoch) {
  const auto order = shuffled_order(1000, 5, 0);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ASSERT_EQ(sorted[i], i);
  }
  EXPECT_EQ(order, shuffled_order(1000, 5, 0));
  EXPECT_NE(order, shuffled_order(1000, 5, 1));
  EXPECT_NE(order, shuffled_order(1000, 6, 0));
  EXPECT_TRUE(shuffled_order(0, 1, 1).empty());
  EXPECT_EQ(shuffled_order(1, 1, 1), std::vector<std::size_t>{0});
}

TEST(Shuffle, EveryPermutationOfThreeIsEquallyLikely) {
  std::vector<int> counts(27);
  for (std::uint64_t epoch = 0; epoch < 6000; ++epoch) {
    const auto order = shuffled_order(3, 1, epoch);
    ++counts.at(order[0] * 9 + order[1] * 3 + order[2]);
  }
  double chi_square = 0;
  int kinds = 0;
  for (const int count : counts) {
    if (count > 0) {
      ++kinds;
      chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
    }
  }
  EXPECT_EQ(kinds, 6);
  EXPECT_LT(chi_square, 31.0);  // 5 degrees of freedom: p < 1e-5
}

}  // namespace
}  // namespace heed::philox_test
