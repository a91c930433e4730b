// Adam and cross-entropy against their formulas in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "heed/device/kernel/adam.h"
#include "heed/device/kernel/cross_entropy.h"
#include "heed/device/kernel/moving_average.h"
#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::training_kernels_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Values = std::vector<double>;

Place cpu() { return {&forced("cpu"), DType::f32}; }
Backend& backend() { return forced("cpu"); }

Values twice(Values values) {
  for (double& one : values) {
    one *= 2;
  }
  return values;
}

class AdamKernel : public OnEachTarget {};
class CrossEntropyKernel : public OnEachTarget {};

TEST_P(AdamKernel, IsTheFormula) {
  const RanOn guard(forced("cpu"));
  Dice dice(1);
  for (const int64_t n : {1, 7, 64, 40001}) {
    for (const bool apart : {false, true}) {
      const Laid g = laid_normal({n}, cpu(), dice, Spacing::dense);
      const Laid m = laid_normal({n}, cpu(), dice, Spacing::dense);
      const Laid p = laid_normal({n}, cpu(), dice, Spacing::dense);
      const Laid v = laid({n}, cpu(), dice, Spacing::dense, [&] { return dice.uniform(0, 2); });
      Values expected_p;
      Values expected_m;
      Values expected_v;
      constexpr double t = 3;
      constexpr double eta = 0.01;
      constexpr double lambda = 0.1;
      for (size_t i = 0; i < g.values.size(); ++i) {
        const double gradient = g.values[i] + (apart ? 0 : lambda * p.values[i]);
        expected_m.push_back(0.9 * m.values[i] + 0.1 * gradient);
        expected_v.push_back(0.98 * v.values[i] + 0.02 * gradient * gradient);
        const double m_hat = expected_m.back() / (1 - std::pow(0.9, t));
        const double v_hat = expected_v.back() / (1 - std::pow(0.98, t));
        expected_p.push_back(p.values[i] * (apart ? 1 - eta * lambda : 1) -
                             eta * m_hat / (std::sqrt(v_hat) + 1e-3));
      }
      constexpr double scale = 0.5;
      const Tensor doubled = Tensor::of(twice(g.values), {n}, cpu());
      const Tensor numbers =
          Tensor::of(Values{scale, eta / (1 - std::pow(0.9, t)),
                            1 / std::sqrt(1 - std::pow(0.98, t)), apart ? 1 - eta * lambda : 1},
                     {4}, cpu());
      const AdamTensors all[] = {
          {p.tensor.view(), m.tensor.view(), v.tensor.view(), doubled.view()}};
      backend().run_fused(AdamStep{.tensors = all,
                                   .numbers = numbers.view(),
                                   .beta1 = 0.9,
                                   .beta2 = 0.98,
                                   .epsilon = 1e-3,
                                   .pull = apart ? 0 : lambda});
      EXPECT_TRUE(close(read(m), expected_m, tolerance(DType::f32)));
      EXPECT_TRUE(close(read(v), expected_v, tolerance(DType::f32)));
      EXPECT_TRUE(close(read(p), expected_p, tolerance(DType::f32)));
    }
  }
  const Tensor x = Tensor::zeros({2, 3}, cpu());
  const Tensor numbers = Tensor::zeros({4}, cpu());
  const AdamTensors gaps[] = {{x.view(), x.view(), x.view(), transposed(x.view())}};
  EXPECT_THROW(backend().run_fused(AdamStep{.tensors = gaps, .numbers = numbers.view()}), Error);
  const AdamTensors dense[] = {{x.view(), x.view(), x.view(), x.view()}};
  EXPECT_THROW(backend().run_fused(AdamStep{.tensors = dense, .numbers = x.view()}), Error);
}

/// Several tensors in one call get what each would get alone.
TEST_P(AdamKernel, TakesManyTensors) {
  const RanOn guard(forced("cpu"));
  const auto updated = [](bool together) {
    std::vector<std::array<Tensor, 4>> tensors;
    std::vector<AdamTensors> views;
    for (const int64_t n : {3, 0, 40001, 1, 16384}) {
      const auto drawn = [n](uint64_t stream) {
        return Tensor::random({n}, Distribution::uniform, {1, static_cast<uint64_t>(n), stream},
                              cpu());
      };
      tensors.push_back({drawn(0), drawn(1), drawn(2), drawn(3)});
      const auto& [p, m, v, g] = tensors.back();
      views.push_back({p.view(), m.view(), v.view(), g.view()});
    }
    const Tensor numbers = Tensor::of(Values{0.3, 0.1, 1.5, 0.9}, {4}, cpu());
    for (size_t i = 0; i < views.size(); i += together ? views.size() : 1) {
      const size_t count = together ? views.size() : 1;
      backend().run_fused(
          AdamStep{.tensors = {views.data() + i, count}, .numbers = numbers.view(), .pull = 0.2});
    }
    Values all;
    for (const auto& one : tensors) {
      const Values p = one[0].values();
      all.insert(all.end(), p.begin(), p.end());
    }
    return all;
  };
  EXPECT_EQ(updated(true), updated(false));
}

TEST_P(AdamKernel, AndTheMovingAverageIsTheFormula) {
  const RanOn guard(forced("cpu"));
  Dice dice(2);
  const Laid mean = laid_normal({20001}, cpu(), dice, Spacing::dense);
  const Laid p = laid_normal({20001}, cpu(), dice, Spacing::dense);
  const Laid few = laid_normal({2}, cpu(), dice, Spacing::dense);
  const Tensor numbers = Tensor::of(Values{0.75, 0.25}, {2}, cpu());
  const AveragedTensor all[] = {{few.tensor.view(), few.tensor.view()},
                                {mean.tensor.view(), p.tensor.view()}};
  backend().run_fused(MovingAverage{all, numbers.view()});
  Values expected;
  for (size_t i = 0; i < p.values.size(); ++i) {
    expected.push_back(0.75 * mean.values[i] + 0.25 * p.values[i]);
  }
  EXPECT_TRUE(close(read(mean), expected, tolerance(DType::f32)));
  EXPECT_TRUE(close(read(few), few.values, tolerance(DType::f32)));
}

struct Losses {
  Values losses, gradient;
};

Losses expected_losses(const Laid& logits, const Values& targets, const Values& dlosses,
                       double smoothing) {
  Losses out;
  const auto n = static_cast<size_t>(logits.shape[1]);
  for (size_t row = 0; row < targets.size(); ++row) {
    const double* x = logits.values.data() + row * n;
    double total = 0;
    double all = 0;
    for (size_t j = 0; j < n; ++j) {
      total += std::exp(x[j]);
      all += x[j];
    }
    const auto target = static_cast<int64_t>(targets[row]);
    const double share = smoothing / static_cast<double>(n);
    const double loss =
        target < 0 ? 0 : std::log(total) - (1 - smoothing) * x[target] - share * all;
    out.losses.push_back(loss);
    for (size_t j = 0; j < n; ++j) {
      const bool is_target = static_cast<int64_t>(j) == target;
      out.gradient.push_back(target < 0 ? 0
                                        : dlosses[row] * (std::exp(x[j]) / total - share -
                                                          (is_target ? 1 - smoothing : 0)));
    }
  }
  return out;
}

TEST_P(CrossEntropyKernel, IsTheFormulaAndItsGradient) {
  const RanOn guard(forced("cpu"));
  Dice dice(2);
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{7, 300}, Shape{33, 1001}}) {
    for (const double smoothing : {0.0, 0.1}) {
      const Laid logits =
          laid(shape, cpu(), dice, Spacing::dense, [&] { return 3 * dice.normal(); });
      const Laid targets = laid({shape[0], 1}, cpu().with(DType::i32), dice, Spacing::strided,
                                [&] { return static_cast<double>(dice.below(shape[1] + 1) - 1); });
      const Laid dlosses = laid_normal({shape[0], 1}, cpu(), dice);
      const Losses expected = expected_losses(logits, targets.values, dlosses.values, smoothing);
      const auto column = [&] { return laid_normal({shape[0], 1}, cpu(), dice); };
      const Laid losses = column();
      const Laid most = column();
      const Laid total = column();
      backend().run_fused(CrossEntropy{losses.tensor.view(), most.tensor.view(),
                                       total.tensor.view(), logits.tensor.view(),
                                       targets.tensor.view(), smoothing});
      EXPECT_TRUE(close(read(losses), expected.losses, scaled(tolerance(DType::f32, shape[1]), 5)));
      backend().run_fused(CrossEntropyGradient{
          logits.tensor.view(), dlosses.tensor.view(), logits.tensor.view(), most.tensor.view(),
          total.tensor.view(), targets.tensor.view(), smoothing});
      EXPECT_TRUE(close(read(logits), expected.gradient, tolerance(DType::f32, shape[1])));
    }
  }
}

TEST_P(CrossEntropyKernel, HoldsForLargeAndMaskedLogits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor logits = Tensor::of(Values{1e30, 0, -infinity, 500, 500, 500}, {2, 3}, cpu());
  const Tensor targets = Tensor::of(std::vector<int32_t>{0, 1}, {2, 1}, cpu().with(DType::i32));
  const auto column = [] { return Tensor::empty({2, 1}, cpu()); };
  const Tensor losses = column();
  const Tensor most = column();
  const Tensor total = column();
  backend().run_fused(
      CrossEntropy{losses.view(), most.view(), total.view(), logits.view(), targets.view(), 0});
  EXPECT_TRUE(close(losses, Values{0, std::log(3.0)}));
  const Tensor wrong = Tensor::of(std::vector<int32_t>{0, 3}, {2, 1}, cpu().with(DType::i32));
  backend().run_fused(
      CrossEntropy{losses.view(), most.view(), total.view(), logits.view(), wrong.view(), 0});
  EXPECT_THAT([&] { losses.values(); },
              ThrowsMessage<Error>(HasSubstr("cross_entropy: saw index 3, needs a target")));
  EXPECT_TRUE(close(losses, Values{0, 0})) << "as if there were no target";
  const Tensor dlosses = Tensor::full({2, 1}, 1, cpu());
  backend().run_fused(CrossEntropyGradient{logits.view(), dlosses.view(), logits.view(),
                                           most.view(), total.view(), wrong.view(), 0});
  EXPECT_THAT([&] { losses.values(); },
              ThrowsMessage<Error>(HasSubstr("cross_entropy_gradient: saw index 3")));
  EXPECT_EQ(logits.values()[5], 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, AdamKernel, all_targets(), name_of_target);
INSTANTIATE_TEST_SUITE_P(Targets, CrossEntropyKernel, all_targets(), name_of_target);

}  // namespace
}  // namespace heed::test::training_kernels_test
