#include "heed/ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::softmax_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

class Softmax : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor row(const std::vector<double>& values) {
    Tensor x = Tensor::of(values, {static_cast<int64_t>(values.size())}, GetParam());
    return x.watch();
  }
};

TEST_P(Softmax, IsWhatItSays) {
  const double total = std::exp(1.0) + std::exp(2.0) + std::exp(4.0);
  const Tensor x = row({1, 2, 4});
  EXPECT_TRUE(
      close(softmax(x), {std::exp(1.0) / total, std::exp(2.0) / total, std::exp(4.0) / total}));
  EXPECT_TRUE(
      close(log_softmax(x), {1 - std::log(total), 2 - std::log(total), 4 - std::log(total)}));
}

TEST_P(Softmax, OverflowsNowhere) {
  const Tensor x = row({1e4, 1e4 - 1, -1e4});
  const double p = 1 / (1 + std::exp(-1.0));
  EXPECT_TRUE(close(softmax(x), {p, 1 - p, 0}));
  EXPECT_TRUE(close(log_softmax(x), {std::log(p), std::log(1 - p), -2e4 + std::log(p)}));
}

TEST_P(Softmax, GivesExactlyZeroToMinusInfinity) {
  const Tensor x = row({0.5, -inf, 1.5, -inf});
  const Tensor y = softmax(x);
  EXPECT_EQ(y.values()[1], 0);
  EXPECT_EQ(y.values()[3], 0);
  EXPECT_EQ(log_softmax(x).values()[1], -inf);
  y.backward(Tensor::of<double>({1, 2, 3, 4}, {4}, GetParam()));
  const auto dx = x.gradient().values();
  EXPECT_EQ(dx[1], 0);
  EXPECT_EQ(dx[3], 0);
  EXPECT_NEAR(dx[0], -dx[2], 1e-6);
  EXPECT_GT(dx[2], 0.1);
}

TEST_P(Softmax, ARowOfMinusInfinityGivesZerosAndNoGradient) {
  const Tensor x = row({-inf, -inf, -inf});
  EXPECT_TRUE(close(softmax(x), {0, 0, 0}));
  EXPECT_TRUE(close(log_softmax(x), {-inf, -inf, -inf}));
  const Tensor seed = Tensor::of<double>({1, 2, 3}, {3}, GetParam());
  softmax(x).backward(seed);
  log_softmax(x).backward(seed);
  EXPECT_TRUE(close(x.gradient(), {0, 0, 0}));
}

TEST_P(Softmax, LogSoftmaxIgnoresTheGradientOfWhatIsNotThere) {
  const Tensor x = row({0.5, -inf, 1.5});
  log_softmax(x).backward(Tensor::of<double>({1, std::nan(""), 1}, {3}, GetParam()));
  const double p = 1 / (1 + std::exp(1.0));
  EXPECT_TRUE(close(x.gradient(), {1 - 2 * p, 0, 1 - 2 * (1 - p)}));
}

TEST_P(Softmax, RefusesAScalar) {
  const Tensor x = Tensor::zeros({}, GetParam());
  EXPECT_THROW(softmax(x), Error);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Softmax, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::softmax_test
