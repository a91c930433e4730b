#include "heed/ops/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/ops/gumbel.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::dropout_test {
namespace {

constexpr int64_t many = 40'000;

class Dropout : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor ones() { return Tensor::full({many}, 1, GetParam()); }
};

TEST_P(Dropout, KeepsTheRightShareAndTheMean) {
  const auto y = dropout(ones(), 0.25, RandomKey{.seed = 1}).values();
  const auto kept = std::count_if(y.begin(), y.end(), [](double value) { return value != 0; });
  // Five standard deviations of a binomial.
  EXPECT_NEAR(static_cast<double>(kept) / many, 0.75, 5 * std::sqrt(0.75 * 0.25 / many));
  EXPECT_NEAR(*std::max_element(y.begin(), y.end()), 1 / 0.75, 1e-6);
}

TEST_P(Dropout, PassesTheGradientWhereItPassedTheValue) {
  Tensor x = ones();
  x.watch();
  const Tensor y = dropout(x, 0.5, RandomKey{.seed = 2, .step = 3});
  sum(y).backward();
  EXPECT_TRUE(same_bits(x.gradient(), y));
}

TEST_P(Dropout, DrawsByItsKeyAlone) {
  const Tensor x = ones();
  EXPECT_TRUE(
      same_bits(dropout(x, 0.5, RandomKey{.seed = 2}), dropout(x, 0.5, RandomKey{.seed = 2})));
  EXPECT_FALSE(
      same_bits(dropout(x, 0.5, RandomKey{.seed = 2}), dropout(x, 0.5, RandomKey{.seed = 3})));
  EXPECT_FALSE(same_bits(dropout(x, 0.5, RandomKey{.seed = 2}),
                         dropout(x, 0.5, RandomKey{.seed = 2, .step = 1})));
  EXPECT_FALSE(same_bits(dropout(x, 0.5, RandomKey{.seed = 2}),
                         dropout(x, 0.5, RandomKey{.seed = 2, .stream = 1})));
}

TEST_P(Dropout, OfNothingIsTheTensorItself) {
  const Tensor x = ones();
  EXPECT_EQ(dropout(x, 0, RandomKey{.seed = 2}).view().data, x.view().data);
  EXPECT_THROW(dropout(x, 1, {}), Error);
  EXPECT_THROW(dropout(x, -0.1, {}), Error);
}

TEST_P(Dropout, GumbelNoiseHasItsMeanAndVariance) {
  const auto noise = gumbel_like(ones(), RandomKey{.seed = 4}).values();
  const double mean = std::accumulate(noise.begin(), noise.end(), 0.0) / many;
  double variance = 0;
  for (const double value : noise) {
    ASSERT_TRUE(std::isfinite(value));
    variance += (value - mean) * (value - mean) / many;
  }
  // Euler's constant and π²/6; the spread of the mean is √(π²/6/n), of the variance about √(7/n).
  EXPECT_NEAR(mean, 0.5772156649, 5 * std::sqrt(1.6449 / many));
  EXPECT_NEAR(variance, 1.6449340668, 5 * std::sqrt(7.0 / many) * 1.6449);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Dropout, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::dropout_test
