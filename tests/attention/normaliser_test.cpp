// Normalisers against the entmax package, against values worked out by hand, and against what they
// promise.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/attention/normaliser/entmax.h"
#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/gumbel.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/softmax.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::normaliser_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Everywhere : public ::testing::TestWithParam<Place> {
 protected:
  Tensor row(const std::vector<double>& values) const {
    return Tensor::of(values, {1, 1, 1, 1, static_cast<int64_t>(values.size())}, GetParam());
  }
  Tensor weights(const std::string& name, const Tensor& scores, Pass pass) const {
    double open = 0;
    for (const double score : scores.values()) {
      open += score > -infinity ? 1 : 0;
    }
    const Tensor count = Tensor::full({1, 1, 1, 1, 1}, open, GetParam());
    return (*make_part(normalisers(), name))(scores, count, pass).weights;
  }
  Tensor weights(const std::string& name, const Tensor& scores) const {
    return weights(name, scores, Pass::serving());
  }
};

TEST_P(Everywhere, EntmaxEqualsThePackage) {
  const RanOn guard(GetParam());
  for (const auto& [name, alpha] : {std::pair{"sparsemax", 2.0}, std::pair{"entmax15", 1.5}}) {
    for (const FixtureCase& c : read_fixture(name, GetParam())) {
      Tensor x = c.tensor("x").clone();
      x.watch();
      Tensor scores = x;
      if (c.has("mask")) {
        const Tensor mask = Tensor::of(c.tensor("mask").values<double>(), x.shape(), GetParam());
        scores = select(mask, x, Tensor::full({1}, -infinity, GetParam()));
      }
      const Tensor y = entmax(scores, alpha);
      EXPECT_TRUE(close(y, c.tensor("y"), 64)) << name << " " << c.name;
      y.backward(c.tensor("d_y"));
      EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), 64)) << name << " " << c.name;
    }
  }
}

TEST_P(Everywhere, ByHand) {
  // e = (1, 0, −1, closed), n = 3.
  const Tensor scores = row({1, 0, -1, -infinity});
  const double e = std::exp(1.0);
  const double total = e + 1 + 1 / e;
  EXPECT_TRUE(close(weights("softmax", scores), {e / total, 1 / total, 1 / e / total, 0}, 4));
  EXPECT_TRUE(close(weights("relu", scores), {1.0 / 3, 0, 0, 0}, 4));  // divided by n
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double b = -std::log(3.0);
  EXPECT_TRUE(
      close(weights("sigmoid", scores), {sigmoid(1 + b), sigmoid(b), sigmoid(b - 1), 0}, 4));
  // sparsemax: with support {1, 0}: τ = (1 + 0 − 1)/2 = 0, so z_2 = 0 drops out; support {1}: τ =
  // 0.
  EXPECT_TRUE(close(weights("sparsemax", scores), {1, 0, 0, 0}, 4));
  EXPECT_TRUE(close(weights("gumbel", scores), {1, 0, 0, 0}));
  EXPECT_TRUE(close(weights("hard", scores), {1, 0, 0, 0}));
}

TEST_P(Everywhere, TopkGivesTiesToTheLowerIndex) {
  // k = 4 of six scores, three of them tied for the last two places.
  const Tensor scores = row({1, 3, 1, 2, 1, -infinity});
  const double total = std::exp(3.0) + std::exp(2.0) + 2 * std::exp(1.0);
  EXPECT_TRUE(close(weights("topk", scores),
                    {std::exp(1.0) / total, std::exp(3.0) / total, std::exp(1.0) / total,
                     std::exp(2.0) / total, 0, 0},
                    8));
}

TEST_P(Everywhere, RowsOfClosedSlotsGiveZeros) {
  const Tensor scores = row({-infinity, -infinity, -infinity});
  for (const auto& entry : normalisers()) {
    EXPECT_TRUE(close(weights(entry.name, scores), {0, 0, 0})) << entry.name;
    EXPECT_TRUE(close(weights(entry.name, scores, Pass::training(1, 1)), {0, 0, 0})) << entry.name;
  }
}

TEST_P(Everywhere, GumbelHasTheGradientOfItsSoftSurrogate) {
  const Tensor values =
      Tensor::random({1, 1, 2, 3, 5}, Distribution::normal, {1, 0, 0}, GetParam());
  const Tensor upstream =
      Tensor::random(values.shape(), Distribution::normal, {2, 0, 0}, GetParam());
  Tensor e = values.clone();
  e.watch();
  Pass pass = Pass::training(4, 2);
  const Tensor count = Tensor::full({1, 1, 1, 1, 1}, 5, GetParam());
  (*make_part(normalisers(), "gumbel"))(e, count, pass).weights.backward(upstream);
  Tensor same = values.clone();
  same.watch();
  Pass again = Pass::training(4, 2);
  softmax(same + gumbel_like(same, again.draw())).backward(upstream);
  EXPECT_TRUE(same_bits(e.gradient(), same.gradient()));
}

TEST_P(Everywhere, HardSamplesItsDistribution) {
  // 4 000 rows of the same scores: each slot's share is within 4 standard errors of its
  // probability.
  const std::vector<double> logits = {0.5, -0.5, 1.5, -infinity};
  constexpr int64_t rows = 4000;
  std::vector<double> tiled;
  for (int64_t r = 0; r < rows; ++r) {
    tiled.insert(tiled.end(), logits.begin(), logits.end());
  }
  const Tensor scores = Tensor::of(tiled, {1, 1, 1, rows, 4}, GetParam());
  const Tensor count = Tensor::full({1, 1, 1, 1, 1}, 3, GetParam());
  Pass pass = Pass::training(8, 1);
  const Normalised chosen = (*make_part(normalisers(), "hard"))(scores, count, pass);
  const auto share = mean(reshape(chosen.weights, {rows, 4}), {0}).values();
  const auto p = softmax(row(logits)).values();
  for (size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(share[j], p[j], 4 * std::sqrt(p[j] * (1 - p[j]) / rows) + 1e-12) << j;
  }
  // log p of what was chosen, row by row.
  const auto hot = chosen.weights.values();
  const auto log_p = chosen.log_probability.values();
  for (int64_t r = 0; r < 50; ++r) {
    for (size_t j = 0; j < 4; ++j) {
      if (hot[r * 4 + j] == 1) {
        EXPECT_NEAR(log_p[r], std::log(p[j]), 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Everywhere, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::normaliser_test
