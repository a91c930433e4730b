#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/unit_rows.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::norms_test {
namespace {

class Norms : public ::testing::TestWithParam<Place> {};

/// The tensor of that name as a leaf, or an undefined one.
Tensor leaf(const FixtureCase& c, const std::string& name) {
  if (!c.has(name)) {
    return {};
  }
  Tensor x = c.tensor(name).clone();
  return x.watch();
}

/// Subtracting a mean leaves the rounding of x: errors grow with the size of x, of spread about 1.
Tolerance within(const FixtureCase& c) {
  double size = 1;
  for (const double value : c.tensor("x").values()) {
    size = std::max(size, std::abs(value));
  }
  return scaled(tolerance(c.tensor("x").dtype(), 64), size);
}

void expect_gradient(const FixtureCase& c, const std::string& name, const Tensor& leaf) {
  if (leaf) {
    EXPECT_TRUE(close(leaf.gradient(), c.tensor("d_" + name), within(c))) << c.name << " " << name;
  }
}

TEST_P(Norms, LayerNormAgreesWithPyTorch) {
  for (const FixtureCase& c : read_fixture("layer_norm", GetParam())) {
    const Tensor x = leaf(c, "x");
    const Tensor weight = leaf(c, "weight");
    const Tensor bias = leaf(c, "bias");
    const RanOn guard(GetParam());
    const Tensor y = layer_norm(x, weight, bias, c.number("eps"));
    EXPECT_TRUE(close(y, c.tensor("y"), within(c))) << c.name;
    y.backward(c.tensor("d_y"));
    expect_gradient(c, "x", x);
    expect_gradient(c, "weight", weight);
    expect_gradient(c, "bias", bias);
  }
}

TEST_P(Norms, RmsNormAgreesWithPyTorch) {
  for (const FixtureCase& c : read_fixture("rms_norm", GetParam())) {
    const Tensor x = leaf(c, "x");
    const Tensor weight = leaf(c, "weight");
    const RanOn guard(GetParam());
    const Tensor y = rms_norm(x, weight, c.number("eps"));
    EXPECT_TRUE(close(y, c.tensor("y"), within(c))) << c.name;
    y.backward(c.tensor("d_y"));
    expect_gradient(c, "x", x);
    expect_gradient(c, "weight", weight);
  }
}

TEST_P(Norms, LayerNormSurvivesALargeMean) {
  // One pass over Σx² would lose everything here in f32.
  const Tensor x = Tensor::of<double>({10001, 10002, 10003, 10004}, {1, 4}, GetParam());
  EXPECT_TRUE(close(layer_norm(x, {}, {}, 0),
                    {-1.3416407865, -0.4472135955, 0.4472135955, 1.3416407865}, 256));
}

TEST_P(Norms, UnitRowsAreAsLongAsOne) {
  Tensor x = Tensor::of<double>({3, 4, 0, 0, 3e-7, -4e-7}, {3, 2}, GetParam());
  x.watch();
  const Tensor y = unit_rows(x, 1e-3);
  EXPECT_TRUE(close(y, {0.6, 0.8, 0, 0, 0.6, -0.8}, 4));
  y.backward(Tensor::of<double>({5, 0, 2, -3, 1, 0}, {3, 2}, GetParam()));
  const Tensor scale = Tensor::of<double>({1, 1, 1e-3, 1e-3, 5e-7, 5e-7}, {3, 2}, GetParam());
  // (dy − y yᵀdy) / ‖x‖, a norm of 0 being ε and a small one itself.
  EXPECT_TRUE(close(x.gradient() * scale, {0.64, -0.48, 2, -3, 0.64, 0.48}, 16));
}

TEST_P(Norms, RefuseAWeightOfAnotherWidth) {
  const Tensor x = Tensor::zeros({2, 4}, GetParam());
  const Tensor weight = Tensor::zeros({3}, GetParam());
  const auto message = ::testing::ThrowsMessage<Error>(::testing::HasSubstr("needs [4]"));
  EXPECT_THAT([&] { layer_norm(x, weight, {}); }, message);
  EXPECT_THAT([&] { rms_norm(x, weight); }, message);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Norms, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::norms_test
