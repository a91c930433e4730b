#include "heed/tensor/gradcheck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "heed/base/philox.h"
#include "tests/support/backends.h"
#include "tests/tensor/steps.h"

namespace heed::gradcheck_test {
namespace {

using ::testing::HasSubstr;

Place reference_f64() { return {&test::forced("reference"), DType::f64}; }

Tensor some(uint64_t place, const Shape& shape = {3, 2}) {
  return Tensor::random(shape, Distribution::normal, {.seed = 5, .stream = place}, reference_f64());
}

/// x² whose gradient is `gradient` · x.
Tensor squared(const Tensor& x, double gradient) {
  return record(test::mapped(function<fn::Multiply>, {x, x}), {x},
                [x = x.detached(), gradient](Gradients& g) {
                  const Tensor dx = test::mapped(function<fn::Multiply>, {g.of(0), x});
                  g.add(0, test::mapped(function<fn::Affine>, {dx}, {.a = gradient}));
                });
}

GradcheckResult check_gradient(double gradient) {
  return gradcheck([gradient](std::span<const Tensor> x) { return squared(x[0], gradient); },
                   {some(1)});
}

TEST(Gradcheck, AcceptsARightGradient) {
  const GradcheckResult result = check_gradient(2);
  EXPECT_TRUE(result) << result.failure;
  EXPECT_LT(result.worst, 1e-8);
}

TEST(Gradcheck, DetectsAWrongFactor) {
  const GradcheckResult result = check_gradient(2.0001);
  EXPECT_FALSE(result);
  EXPECT_GT(result.worst, 1e-5);
  EXPECT_THAT(result.failure, HasSubstr("input 0"));
}

TEST(Gradcheck, DetectsNaN) {
  EXPECT_FALSE(check_gradient(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Gradcheck, DetectsAnInputLeftOut) {
  const auto forgets = [](std::span<const Tensor> x) {
    return record(test::mapped(function<fn::Multiply>, {x[0], x[1]}), {x[0], x[1]},
                  [y = x[1].detached()](Gradients& g) {
                    g.add(0, test::mapped(function<fn::Multiply>, {g.of(0), y}));
                  });
  };
  EXPECT_THAT(gradcheck(forgets, {some(1), some(2)}).failure, HasSubstr("input 1"));
}

TEST(Gradcheck, LooksAtEveryOutput) {
  const auto second_wrong = [](std::span<const Tensor> x) {
    return std::vector<Tensor>{squared(x[0], 2), squared(x[0], 3)};
  };
  EXPECT_FALSE(gradcheck(second_wrong, {some(1)}));
}

TEST(Gradcheck, NeedsDoublePrecision) {
  const Tensor single = Tensor::full({2}, 1, reference_f64().with(DType::f32));
  EXPECT_THROW(gradcheck([](std::span<const Tensor> x) { return squared(x[0], 2); }, {single}),
               Error);
}

/// A random graph of a dozen steps over two leaves, each step fed by any tensors before it.
std::vector<Tensor> random_graph(std::span<const Tensor> leaves, uint64_t seed) {
  const Draws draws({.seed = seed});
  std::vector<Tensor> made(leaves.begin(), leaves.end());
  for (uint64_t step = 0; step < 12; ++step) {
    const Tensor x = made[draws.below(3 * step, made.size())];
    const Tensor y = made[draws.below(3 * step + 1, made.size())];
    switch (draws.below(3 * step + 2, 5)) {
      case 0:
        made.push_back(test::plus(x, y));
        break;
      case 1:
        made.push_back(test::renamed(x));
        break;
      case 2:
        made.push_back(test::passed_into(x));
        break;
      case 3:
        made.push_back(test::plus(y, test::total(x)));
        break;
      default:
        made.push_back(test::times(leaves[step % 2], y));
    }
  }
  return {made.end() - 4, made.end()};
}

// Accumulation in place can go wrong where gradients share memory; these graphs share it in many
// ways.
TEST(Gradcheck, AgreesOnRandomGraphs) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<Tensor> leaves{some(2 * seed), some(2 * seed + 1)};
    const auto graph = [seed](std::span<const Tensor> x) { return random_graph(x, seed); };
    const GradcheckResult result = gradcheck(graph, leaves);
    EXPECT_TRUE(result) << "seed " << seed << ": " << result.failure;
  }
}

}  // namespace
}  // namespace heed::gradcheck_test
