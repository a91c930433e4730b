// Products of any shape, batch and layout, against three loops in double.
#include <cmath>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::matmul_test {
namespace {

class Products : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Products, ::testing::ValuesIn(places()), name_of_place);

std::vector<double> expected_product(const Laid& a, const Laid& b, const Laid& out, double alpha,
                                     double beta) {
  const int64_t m = out.shape[-2];
  const int64_t n = out.shape[-1];
  const int64_t k = a.shape[-1];
  std::vector<double> results;
  for (size_t e = 0; e < out.values.size(); ++e) {
    const auto place = static_cast<int64_t>(e);
    const int64_t matrix = place / (m * n);
    const double* x = a.values.data() + (matrix * m + place / n % m) * k;
    const double* y = b.values.data() + matrix * k * n + place % n;
    double sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum += x[i] * y[i * n];
    }
    results.push_back(alpha * sum + (beta == 0 ? 0 : beta * out.values[e]));
  }
  return results;
}

struct Sizes {
  int64_t m, n, k;
};

void check(const Place& place, const Shape& batch, Sizes sizes, Dice& dice, bool is_dense) {
  const auto with = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    return shape.push(rows).push(columns);
  };
  const auto layout = [&] {
    return is_dense ? Spacing::dense : static_cast<Spacing>(dice.below(3));
  };
  const Laid a = laid_normal(with(sizes.m, sizes.k), place, dice, layout());
  const Laid b = laid_normal(with(sizes.k, sizes.n), place, dice, layout());
  const Laid out = laid_normal(with(sizes.m, sizes.n), place, dice,
                               is_dense ? Spacing::dense : Spacing::strided);
  const double alpha = dice.coin() ? 1 : -0.5;
  const double beta = dice.coin() ? 0 : dice.coin() ? 1 : 0.25;
  SCOPED_TRACE(fmt::format("batch {} m {} n {} k {} alpha {} beta {}", heed::to_string(batch),
                           sizes.m, sizes.n, sizes.k, alpha, beta));
  const auto expected = expected_product(a, b, out, alpha, beta);
  place.backend->matmul(out.tensor.view(), a.tensor.view(), b.tensor.view(), alpha, beta);
  ASSERT_TRUE(
      close(read(out), expected, scaled(tolerance(place.dtype, sizes.k), std::sqrt(sizes.k) + 1)));
}

TEST_P(Products, SmallOnesInEveryLayout) {
  Dice dice(1);
  for (int round = 0; round < 120; ++round) {
    check(GetParam(), dice.shape(static_cast<int>(dice.below(3)), 4),
          {dice.length(20), dice.length(30), dice.length(20)}, dice, false);
  }
}

TEST_P(Products, EveryFewRowsAndColumns) {
  Dice dice(2);
  for (const int64_t m : {1, 2, 3, 4, 5, 7, 16, 17}) {
    for (const int64_t n : {1, 2, 3, 4, 15, 16, 17, 63, 64, 65, 80}) {
      check(GetParam(), {}, {m, n, 1 + dice.below(40)}, dice, n % 2 == 0);
    }
  }
}

TEST_P(Products, LargeOnesAreTiled) {
  Dice dice(3);
  for (const Sizes sizes : {Sizes{97, 193, 67},
                            {130, 70, 100},
                            {1, 700, 130},
                            {257, 1, 140},
                            {33, 300, 40},
                            {65, 65, 65},
                            {331, 223, 31},
                            {223, 331, 31},
                            {100, 100, 0}}) {
    check(GetParam(), {}, sizes, dice, true);
    check(GetParam(), {}, sizes, dice, false);
  }
}

TEST_P(Products, BatchesShareAnOperand) {
  const Place place = GetParam();
  Dice dice(4);
  const Laid a = laid_normal({5, 3, 7}, place, dice, Spacing::dense);
  const Laid b = laid_normal({7, 11}, place, dice, Spacing::dense);
  const Laid out = laid_normal({5, 3, 11}, place, dice, Spacing::dense);
  Laid wide = b;
  wide.shape = {5, 7, 11};
  wide.values.clear();
  for (int i = 0; i < 5; ++i) {
    wide.values.insert(wide.values.end(), b.values.begin(), b.values.end());
  }
  const auto expected = expected_product(a, wide, out, 1, 0);
  place.backend->matmul(out.tensor.view(), a.tensor.view(),
                        broadcast_to(b.tensor.view(), {5, 7, 11}), 1, 0);
  EXPECT_TRUE(close(read(out), expected, scaled(tolerance(place.dtype, 7), 3)));
}

TEST_P(Products, BetaZeroDoesNotReadTheResult) {
  const Place place = GetParam();
  for (const int64_t m : {1, 3, 20, 100}) {
    for (const int64_t k : {0, 5, 100}) {
      const Tensor out = Tensor::full({m, 90}, std::nan(""), place);
      const Tensor a = Tensor::full({m, k}, 1, place);
      const Tensor b = Tensor::full({k, 90}, 1, place);
      place.backend->matmul(out.view(), a.view(), b.view(), 1, 0);
      EXPECT_EQ(out.values(), std::vector<double>(static_cast<size_t>(m * 90), k));
      place.backend->matmul(out.view(), a.view(), b.view(), 2, 3);
      EXPECT_EQ(out.values(), std::vector<double>(static_cast<size_t>(m * 90), 5 * k));
    }
  }
}

TEST_P(Products, NaNPasses) {
  const Place place = GetParam();
  for (const int64_t m : {1, 3, 70}) {
    const Tensor out = Tensor::zeros({m, 70}, place);
    const Tensor a = Tensor::full({m, 70}, std::nan(""), place);
    const Tensor b = Tensor::zeros({70, 70}, place);
    place.backend->matmul(out.view(), a.view(), b.view(), 1, 0);
    for (const double x : out.values()) {
      ASSERT_TRUE(std::isnan(x));
    }
  }
}

TEST_P(Products, RefusesWhatDoesNotFit) {
  const Place place = GetParam();
  const auto run = [&](const Shape& out, const Shape& a, const Shape& b) {
    place.backend->matmul(Tensor::zeros(out, place).view(), Tensor::zeros(a, place).view(),
                          Tensor::zeros(b, place).view(), 1, 0);
  };
  EXPECT_NO_THROW(run({2, 4}, {2, 3}, {3, 4}));
  EXPECT_THROW(run({2, 4}, {2, 3}, {2, 4}), Error);
  EXPECT_THROW(run({2, 3}, {2, 3}, {3, 4}), Error);
  EXPECT_THROW(run({5, 2, 4}, {5, 2, 3}, {4, 3, 4}), Error);
  EXPECT_THROW(run({2, 4}, {1, 2, 3}, {3, 4}), Error);
  EXPECT_THROW(run({4}, {3}, {3}), Error);
}

}  // namespace
}  // namespace heed::test::matmul_test
