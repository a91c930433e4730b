// The softmax kernels against their formulas in double, in every layout.
#include "heed/device/kernel/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::softmax_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Place cpu() { return {&forced("cpu"), DType::f32}; }
Backend& backend() { return forced("cpu"); }

std::vector<double> softmax_of(const std::vector<double>& x, size_t n) {
  std::vector<double> y;
  for (size_t row = 0; n > 0 && row < x.size(); row += n) {
    double most = -infinity;
    for (size_t j = 0; j < n; ++j) {
      most = std::max(most, x[row + j]);
    }
    double total = 0;
    for (size_t j = 0; j < n; ++j) {
      total += most == -infinity ? 0 : std::exp(x[row + j] - most);
    }
    for (size_t j = 0; j < n; ++j) {
      y.push_back(most == -infinity ? 0 : std::exp(x[row + j] - most) / total);
    }
  }
  return y;
}

class Softmax : public OnEachTarget {};

TEST_P(Softmax, InEveryLayout) {
  const RanOn guard(forced("cpu"));
  Dice dice(1);
  for (int round = 0; round < 50; ++round) {
    const Shape shape = dice.shape(1 + static_cast<int>(dice.below(3)), 37);
    SCOPED_TRACE(heed::to_string(shape));
    const Laid x = laid(shape, cpu(), dice, static_cast<Spacing>(dice.below(3)),
                        [&] { return dice.below(5) == 0 ? -infinity : 20 * dice.normal(); });
    const Laid y = laid_normal(shape, cpu(), dice, static_cast<Spacing>(dice.below(2)));
    backend().run_fused(SoftmaxRows{y.tensor.view(), x.tensor.view()});
    const auto expected = softmax_of(x.values, static_cast<size_t>(shape[-1]));
    ASSERT_TRUE(close(read(y), expected, tolerance(DType::f32, shape[-1])));
    const Laid dy = laid_normal(shape, cpu(), dice, static_cast<Spacing>(dice.below(3)));
    const Laid dx = laid_normal(shape, cpu(), dice, static_cast<Spacing>(dice.below(2)));
    backend().run_fused(SoftmaxGradient{dx.tensor.view(), dy.tensor.view(), y.tensor.view()});
    std::vector<double> gradient(expected.size());
    const auto n = static_cast<size_t>(shape[-1]);
    for (size_t row = 0; row < gradient.size(); row += n) {
      double mean = 0;
      for (size_t j = row; j < row + n; ++j) {
        mean += dy.values[j] * expected[j];
      }
      for (size_t j = row; j < row + n; ++j) {
        gradient[j] = expected[j] * (dy.values[j] - mean);
      }
    }
    ASSERT_TRUE(close(read(dx), gradient, tolerance(DType::f32, shape[-1])));
  }
}

TEST_P(Softmax, RowsOfOddValues) {
  const auto run = [](const std::vector<double>& x) {
    const Tensor in = Tensor::of(x, {1, static_cast<int64_t>(x.size())}, cpu());
    const Tensor out = Tensor::empty(in.shape(), cpu());
    backend().run_fused(SoftmaxRows{out.view(), in.view()});
    return out;
  };
  const double nan = std::nan("");
  EXPECT_EQ(run({-infinity, -infinity}).values(), (std::vector<double>{0, 0}));
  EXPECT_EQ(run({-infinity, 3}).values(), (std::vector<double>{0, 1}));
  EXPECT_TRUE(close(run({1e30, 1e30}), {0.5, 0.5}));
  EXPECT_TRUE(close(run({1, nan, 2}), {nan, nan, nan}));
}

TEST_P(Softmax, InPlace) {
  Dice dice(2);
  const Laid x = laid_normal({9, 33}, cpu(), dice, Spacing::dense);
  backend().run_fused(SoftmaxRows{x.tensor.view(), x.tensor.view()});
  EXPECT_TRUE(close(read(x), softmax_of(x.values, 33), tolerance(DType::f32, 33)));
}

INSTANTIATE_TEST_SUITE_P(Targets, Softmax, all_targets(), name_of_target);

}  // namespace
}  // namespace heed::test::softmax_test
