// The norm kernels against their formulas in double, on every SIMD target.
#include "heed/device/kernel/norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::norm_test {
namespace {

using Values = std::vector<double>;

Place cpu() { return {&forced("cpu"), DType::f32}; }
Backend& backend() { return forced("cpu"); }

struct Case {
  Shape shape;
  bool is_centred, has_weight, has_bias;
};

struct Expected {
  Values y, dx, dweight, dbias;
};

/// x, dy [N, D], w, b [D] by the formulas.
Expected expected_of(const Case& c, const Laid& x, const Laid& dy, const Laid& w, const Laid& b) {
  const auto n = static_cast<size_t>(c.shape[1]);
  Expected out{{}, {}, Values(n, 0), Values(n, 0)};
  for (size_t row = 0; row < x.values.size(); row += n) {
    double mean = 0;
    for (size_t j = 0; c.is_centred && j < n; ++j) {
      mean += x.values[row + j] / static_cast<double>(n);
    }
    double square = 0;
    for (size_t j = 0; j < n; ++j) {
      square += std::pow(x.values[row + j] - mean, 2) / static_cast<double>(n);
    }
    const double r = 1 / std::sqrt(square + 1e-3);
    const auto unit = [&](size_t j) { return (x.values[row + j] - mean) * r; };
    const auto u = [&](size_t j) { return dy.values[row + j] * (c.has_weight ? w.values[j] : 1); };
    double flat = 0;
    double along = 0;
    for (size_t j = 0; j < n; ++j) {
      flat += c.is_centred ? u(j) / static_cast<double>(n) : 0;
      along += u(j) * unit(j) / static_cast<double>(n);
      out.dweight[j] += dy.values[row + j] * unit(j);
      out.dbias[j] += dy.values[row + j];
    }
    for (size_t j = 0; j < n; ++j) {
      out.y.push_back(unit(j) * (c.has_weight ? w.values[j] : 1) + (c.has_bias ? b.values[j] : 0));
      out.dx.push_back(r * (u(j) - flat - unit(j) * along));
    }
  }
  return out;
}

void expect_formulas(const Case& c, Dice& dice) {
  SCOPED_TRACE(heed::to_string(c.shape));
  const int64_t rows = c.shape[0];
  const int64_t n = c.shape[1];
  const Laid x = laid_normal(c.shape, cpu(), dice, Spacing::dense);
  const Laid dy = laid_normal(c.shape, cpu(), dice, Spacing::dense);
  const Laid w = laid_normal({n}, cpu(), dice, Spacing::dense);
  const Laid b = laid_normal({n}, cpu(), dice, Spacing::dense);
  const Expected expected = expected_of(c, x, dy, w, b);
  const Tensor y = Tensor::empty(c.shape, cpu());
  const Tensor mean = Tensor::empty({rows, 1}, cpu());
  const Tensor scale = Tensor::empty({rows, 1}, cpu());
  const View mean_view = c.is_centred ? mean.view() : View();
  const View weight = c.has_weight ? w.tensor.view() : View();
  backend().run_fused(RowNorm{.y = y.view(),
                              .mean = mean_view,
                              .scale = scale.view(),
                              .x = x.tensor.view(),
                              .weight = weight,
                              .bias = c.has_bias ? b.tensor.view() : View(),
                              .epsilon = 1e-3});
  EXPECT_TRUE(close(y.values(), expected.y, scaled(tolerance(DType::f32, n), 4)));
  const Tensor dweight = Tensor::full({n}, NAN, cpu());
  const Tensor dbias = Tensor::full({n}, NAN, cpu());
  RowNormGradient gradient{.dx = {},
                           .dweight = dweight.view(),
                           .dbias = dbias.view(),
                           .dy = dy.tensor.view(),
                           .x = x.tensor.view(),
                           .mean = mean_view,
                           .scale = scale.view(),
                           .weight = weight};
  backend().run_fused(gradient);
  // r is up to 1/√ε where a row has one element.
  const Tolerance within = scaled(tolerance(DType::f32, n), 40);
  EXPECT_TRUE(close(dweight.values(), expected.dweight, scaled(tolerance(DType::f32, rows), 8)));
  EXPECT_TRUE(close(dbias.values(), expected.dbias, scaled(tolerance(DType::f32, rows), 4)));
  gradient.dx = dy.tensor.view();
  gradient.dweight = {};
  gradient.dbias = {};
  backend().run_fused(gradient);
  EXPECT_TRUE(close(read(dy), expected.dx, within));
}

TEST(Norm, IsTheFormulaAndItsGradient) {
  const RanOn guard(forced("cpu"));
  on_each_target([] {
    Dice dice(3);
    for (const Shape& shape : {Shape{1, 1}, Shape{3, 2}, Shape{7, 31}, Shape{2, 64}, Shape{101, 17},
                               Shape{5, 2053}, Shape{700, 129}}) {
      for (int bits = 0; bits < 8; ++bits) {
        expect_formulas({shape, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}, dice);
      }
    }
  });
}

TEST(Norm, RefusesRowsWithGapsAndVectorsOfAnotherWidth) {
  const Tensor x = Tensor::zeros({4, 4}, cpu());
  const Tensor column = Tensor::zeros({4, 1}, cpu());
  const Tensor wide = Tensor::zeros({5}, cpu());
  EXPECT_THROW(backend().run_fused(RowNorm{.y = x.view(),
                                           .mean = {},
                                           .scale = column.view(),
                                           .x = transposed(x.view()),
                                           .weight = {},
                                           .bias = {}}),
               Error);
  EXPECT_THROW(backend().run_fused(RowNorm{.y = x.view(),
                                           .mean = {},
                                           .scale = column.view(),
                                           .x = x.view(),
                                           .weight = wide.view(),
                                           .bias = {}}),
               Error);
}

}  // namespace
}  // namespace heed::test::norm_test
