// Steps of recurrent cells against their formulas in double, and their gradients against finite
// differences of those.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/device/kernel/recurrent.h"
#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::recurrent_kernels_test {
namespace {

using Values = std::vector<double>;

Place cpu() { return {&forced("cpu"), DType::f32}; }
Backend& backend() { return forced("cpu"); }
double sigma(double x) { return 1 / (1 + std::exp(-x)); }

struct Sizes {
  int64_t rows, width;
};
constexpr Sizes all_sizes[] = {{1, 1}, {3, 7}, {5, 16}, {2, 33}, {40, 130}};

Values normals(int64_t count, Dice& dice) {
  Values values(static_cast<size_t>(count));
  for (double& value : values) {
    value = static_cast<float>(dice.normal());
  }
  return values;
}

/// Columns [first, first + width) of a wider tensor: rows dense, but not one behind the other.
Tensor within_wider(const Values& values, int64_t rows, int64_t width) {
  const Tensor wide = Tensor::full({rows, width + 3}, NAN, cpu());
  const Tensor inner = wide.seen_as(sliced(wide.view(), 1, 2, width));
  cpu().backend->copy(inner.view(), Tensor::of(values, {rows, width}, cpu()).view());
  return inner;
}

/// d(Σ r · f)/dx by central differences.
Values gradient_of(const std::function<Values(const Values&)>& f, Values x, const Values& r) {
  constexpr double h = 1e-5;
  Values gradient;
  for (double& element : x) {
    const double before = element;
    double difference = 0;
    for (const double sign : {1.0, -1.0}) {
      element = before + sign * h;
      const Values y = f(x);
      for (size_t i = 0; i < y.size(); ++i) {
        difference += sign * r[i] * y[i];
      }
    }
    element = before;
    gradient.push_back(difference / (2 * h));
  }
  return gradient;
}

struct LstmValues {
  Values gates, cell, hidden;
};

LstmValues lstm_of(const Values& sums, const Values& cell, Sizes s) {
  LstmValues out;
  out.gates.resize(static_cast<size_t>(s.rows * 5 * s.width));
  for (int64_t b = 0; b < s.rows; ++b) {
    for (int64_t j = 0; j < s.width; ++j) {
      const auto sum = [&](int64_t block) {
        return sums[static_cast<size_t>((b * 4 + block) * s.width + j)];
      };
      const double i = sigma(sum(0));
      const double f = sigma(sum(1));
      const double g = std::tanh(sum(2));
      const double o = sigma(sum(3));
      const double c = f * cell[static_cast<size_t>(b * s.width + j)] + i * g;
      out.cell.push_back(c);
      out.hidden.push_back(o * std::tanh(c));
      int64_t block = 0;
      for (const double value : {i, f, g, o, std::tanh(c)}) {
        out.gates[static_cast<size_t>((b * 5 + block++) * s.width + j)] = value;
      }
    }
  }
  return out;
}

/// [rows, blocks · width] with the blocks padded by `more` empty ones.
Values padded(const Values& values, Sizes s, int64_t blocks, int64_t more) {
  Values out;
  for (int64_t b = 0; b < s.rows; ++b) {
    const auto row = values.begin() + b * blocks * s.width;
    out.insert(out.end(), row, row + blocks * s.width);
    out.insert(out.end(), static_cast<size_t>(more * s.width), NAN);
  }
  return out;
}

class LstmKernel : public OnEachTarget {};
class GruKernel : public OnEachTarget {};

TEST_P(LstmKernel, StepIsTheFormula) {
  const RanOn guard(forced("cpu"));
  Dice dice(1);
  for (const Sizes s : all_sizes) {
    const Values sums = normals(s.rows * 4 * s.width, dice);
    const Values before = normals(s.rows * s.width, dice);
    const LstmValues expected = lstm_of(sums, before, s);
    const Tensor gates = within_wider(padded(sums, s, 4, 1), s.rows, 5 * s.width);
    const Tensor cell = within_wider(before, s.rows, s.width);
    const Tensor hidden = within_wider(before, s.rows, s.width);
    backend().run_fused(LstmStep{gates.view(), within_wider(before, s.rows, s.width).view(),
                                 cell.view(), hidden.view()});
    EXPECT_TRUE(close(gates, expected.gates));
    EXPECT_TRUE(close(cell, expected.cell));
    EXPECT_TRUE(close(hidden, expected.hidden));
  }
}

TEST_P(LstmKernel, GradientIsTheGradient) {
  Dice dice(2);
  for (const Sizes s : {Sizes{1, 1}, {2, 5}, {3, 9}}) {
    const Values sums = normals(s.rows * 4 * s.width, dice);
    const Values before = normals(s.rows * s.width, dice);
    const Values dcell = normals(s.rows * s.width, dice);
    const Values dhidden = normals(s.rows * s.width, dice);
    const auto loss_terms = [&](const Values& gates, const Values& cell) {
      LstmValues out = lstm_of(gates, cell, s);
      out.cell.insert(out.cell.end(), out.hidden.begin(), out.hidden.end());
      return out.cell;
    };
    Values r = dcell;
    r.insert(r.end(), dhidden.begin(), dhidden.end());
    const Values dgates =
        gradient_of([&](const Values& x) { return loss_terms(x, before); }, sums, r);
    const Values dbefore =
        gradient_of([&](const Values& x) { return loss_terms(sums, x); }, before, r);

    const Tensor gates = within_wider(lstm_of(sums, before, s).gates, s.rows, 5 * s.width);
    const Tensor out = within_wider(dgates, s.rows, 4 * s.width);
    const Tensor carried = within_wider(dcell, s.rows, s.width);
    const Tensor cell = within_wider(before, s.rows, s.width);
    const Tensor dh = within_wider(dhidden, s.rows, s.width);
    backend().run_fused(LstmGradient{gates.view(), cell.view(), dh.view(), carried.view(),
                                     out.view(), carried.view()});
    EXPECT_TRUE(close(out, dgates, 16));
    EXPECT_TRUE(close(carried, dbefore, 16));
  }
}

struct GruValues {
  Values gates, hidden;
};

GruValues gru_of(const Values& sums, const Values& hidden, Sizes s) {
  GruValues out;
  out.gates.resize(sums.size());
  for (int64_t b = 0; b < s.rows; ++b) {
    for (int64_t j = 0; j < s.width; ++j) {
      const auto place = [&](int64_t block) {
        return static_cast<size_t>((b * 4 + block) * s.width + j);
      };
      const double r = sigma(sums[place(1)]);
      const double z = sigma(sums[place(2)]);
      const double u = sums[place(3)];
      const double n = std::tanh(sums[place(0)] + r * u);
      int64_t block = 0;
      for (const double value : {n, r, z, u}) {
        out.gates[place(block++)] = value;
      }
      out.hidden.push_back((1 - z) * n + z * hidden[static_cast<size_t>(b * s.width + j)]);
    }
  }
  return out;
}

TEST_P(GruKernel, StepIsTheFormula) {
  const RanOn guard(forced("cpu"));
  Dice dice(3);
  for (const Sizes s : all_sizes) {
    const Values sums = normals(s.rows * 4 * s.width, dice);
    const Values before = normals(s.rows * s.width, dice);
    const GruValues expected = gru_of(sums, before, s);
    const Tensor gates = within_wider(sums, s.rows, 4 * s.width);
    const Tensor hidden = within_wider(before, s.rows, s.width);
    backend().run_fused(
        GruStep{gates.view(), within_wider(before, s.rows, s.width).view(), hidden.view()});
    EXPECT_TRUE(close(gates, expected.gates));
    EXPECT_TRUE(close(hidden, expected.hidden));
  }
}

TEST_P(GruKernel, GradientIsTheGradient) {
  Dice dice(4);
  for (const Sizes s : {Sizes{1, 1}, {2, 5}, {3, 9}}) {
    const Values sums = normals(s.rows * 4 * s.width, dice);
    const Values before = normals(s.rows * s.width, dice);
    const Values r = normals(s.rows * s.width, dice);
    const Values dgates =
        gradient_of([&](const Values& x) { return gru_of(x, before, s).hidden; }, sums, r);
    const Values dbefore =
        gradient_of([&](const Values& x) { return gru_of(sums, x, s).hidden; }, before, r);
    const Tensor gates = within_wider(gru_of(sums, before, s).gates, s.rows, 4 * s.width);
    const Tensor out = within_wider(dgates, s.rows, 4 * s.width);
    const Tensor carried = within_wider(r, s.rows, s.width);
    const Tensor hidden = within_wider(before, s.rows, s.width);
    backend().run_fused(
        GruGradient{gates.view(), hidden.view(), carried.view(), out.view(), carried.view()});
    EXPECT_TRUE(close(out, dgates, 16));
    EXPECT_TRUE(close(carried, dbefore, 16));
  }
}

TEST(RecurrentKernels, RefuseWhatDoesNotFit) {
  const auto view = [](const Shape& shape) { return Tensor::zeros(shape, cpu()).view(); };
  EXPECT_THROW(
      backend().run_fused(LstmStep{view({2, 12}), view({2, 3}), view({2, 3}), view({2, 3})}),
      Error);
  EXPECT_THROW(
      backend().run_fused(LstmStep{view({2, 15}), view({3, 3}), view({2, 3}), view({2, 3})}),
      Error);
  EXPECT_THROW(backend().run_fused(GruStep{view({2, 12}), transposed(view({3, 2})), view({2, 3})}),
               Error);
}

INSTANTIATE_TEST_SUITE_P(Targets, LstmKernel, all_targets(), name_of_target);
INSTANTIATE_TEST_SUITE_P(Targets, GruKernel, all_targets(), name_of_target);

}  // namespace
}  // namespace heed::test::recurrent_kernels_test
