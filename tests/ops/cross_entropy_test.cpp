#include "heed/ops/cross_entropy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::cross_entropy_test {
namespace {

class CrossEntropy : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor targets(const std::vector<int32_t>& values) {
    return Tensor::of(values, {static_cast<int64_t>(values.size())}, GetParam().with(DType::i32));
  }
};

TEST_P(CrossEntropy, AgreesWithPyTorch) {
  for (const FixtureCase& c : read_fixture("cross_entropy", GetParam())) {
    auto wanted = c.tensor("targets").values<int32_t>();
    std::replace(wanted.begin(), wanted.end(), static_cast<int32_t>(c.integer("ignore_index")), -1);
    const auto ignored = std::count(wanted.begin(), wanted.end(), -1);
    const double share = c.text("reduction") == "sum"
                             ? 1
                             : 1 / static_cast<double>(static_cast<long>(wanted.size()) - ignored);
    Tensor logits = c.tensor("logits").clone();
    logits.watch();
    const RanOn guard(GetParam());
    const Tensor losses =
        cross_entropy(logits, targets(wanted), {.smoothing = c.number("label_smoothing")});
    const Tensor loss = sum(losses) * share;
    const double size = std::max(1.0, std::abs(c.tensor("loss").item()));
    const Tolerance within = scaled(tolerance(GetParam().dtype, 16), size);
    EXPECT_TRUE(close(loss, c.tensor("loss"), within)) << c.name;
    loss.backward(c.tensor("d_loss"));
    EXPECT_TRUE(close(logits.gradient(), c.tensor("d_logits"), 16)) << c.name;
  }
}

TEST_P(CrossEntropy, ATargetOfMinusOneAsksForNothing) {
  Tensor logits = Tensor::of<double>({1, 2, 3, 4, 5, 6}, {2, 3}, GetParam());
  logits.watch();
  const Tensor losses = cross_entropy(logits, targets({-1, 0}), {.smoothing = 0.3});
  EXPECT_EQ(losses.values()[0], 0);
  EXPECT_GT(losses.values()[1], 1);
  sum(losses).backward();
  const auto dx = logits.gradient().values();
  EXPECT_THAT(std::vector<double>(dx.begin(), dx.begin() + 3), ::testing::ElementsAre(0, 0, 0));
  EXPECT_NEAR(dx[3] + dx[4] + dx[5], 0, 1e-6);
}

TEST_P(CrossEntropy, IsExactFarFromZero) {
  // ln Σe^x − x_t would cancel: 1e5 has steps of 0.008 in f32.
  const Tensor logits = Tensor::of<double>({1e5, 1e5 - 1}, {1, 2}, GetParam());
  EXPECT_TRUE(close(cross_entropy(logits, targets({0})), {std::log1p(std::exp(-1.0))}, 16));
}

TEST_P(CrossEntropy, TakesImpossibleClasses) {
  const double inf = std::numeric_limits<double>::infinity();
  Tensor logits = Tensor::of<double>({1, -inf, 1}, {1, 3}, GetParam());
  logits.watch();
  const Tensor losses = cross_entropy(logits, targets({0}));
  EXPECT_TRUE(close(losses, {std::log(2.0)}, 16));
  losses.backward();
  EXPECT_TRUE(close(logits.gradient(), {-0.5, 0, 0.5}, 16));
}

TEST_P(CrossEntropy, KeepsAtMostTheGradientsPlaceBesideTheLogits) {
  constexpr int64_t least = int64_t{16} * 4096;  // elements of 4 bytes at least
  const CachingAllocator& allocator = GetParam().backend->allocator();
  Tensor logits = Tensor::zeros({16, 4096}, GetParam());
  logits.watch();
  const int64_t size = least * static_cast<int64_t>(bytes_of(GetParam().dtype));
  const Tensor wanted = targets(std::vector<int32_t>(16, 3));
  const int64_t before = allocator.statistics().live_bytes;
  const Tensor losses = cross_entropy(logits, wanted, {.smoothing = 0.1});
  EXPECT_LT(allocator.statistics().live_bytes - before, size + least);
  losses.backward(Tensor::full({16}, 1, GetParam()));
  EXPECT_LT(allocator.statistics().live_bytes - before, size + least);
}

TEST_P(CrossEntropy, ExplainsWhatItNeeds) {
  const Tensor logits = Tensor::zeros({2, 3}, GetParam());
  EXPECT_THAT([&] { cross_entropy(logits, targets({1})); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("needs [N, V] and [N]")));
  EXPECT_THAT([&] { cross_entropy(logits, Tensor::zeros({2}, GetParam())); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("needs i32")));
  EXPECT_THROW(cross_entropy(logits, targets({1, 1}), {.smoothing = 2}), Error);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CrossEntropy, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::cross_entropy_test
