#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/ops/cases_a.h"
#include "tests/support/fixture.h"

namespace heed::test::activations_test {
namespace {

const std::map<std::string, UnaryOp>& by_name() {
  static const std::map<std::string, UnaryOp> ops{
      {"exp", exp},          {"log", log},         {"sqrt", sqrt},
      {"tanh", tanh},        {"sigmoid", sigmoid}, {"relu", relu},
      {"gelu_erf", gelu},    {"silu", silu},       {"gelu_tanh", gelu_tanh},
      {"erf", erf},          {"sin", sin},         {"cos", cos},
      {"softplus", softplus}};
  return ops;
}

class Activations : public ::testing::TestWithParam<Place> {};

TEST_P(Activations, AgreeWithPyTorch) {
  int seen = 0;
  for (const FixtureCase& c : read_fixture("activations", GetParam())) {
    const auto op = by_name().find(c.name);
    ASSERT_NE(op, by_name().end()) << c.name;
    Tensor x = c.tensor("x").clone();
    x.watch();
    const RanOn guard(GetParam());
    const Tensor y = op->second(x);
    EXPECT_TRUE(close(y, c.tensor("y"))) << c.name;
    y.backward(c.tensor("d_y"));
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"))) << c.name;
    ++seen;
  }
  EXPECT_GE(seen, 10);
}

TEST_P(Activations, StayFiniteFarOut) {
  const Tensor far = Tensor::of<double>({-1e4, -200, -90, 90, 200, 1e4}, {6}, GetParam());
  for (const auto& name :
       {"tanh", "sigmoid", "relu", "gelu_erf", "gelu_tanh", "silu", "softplus", "erf"}) {
    Tensor x = far.clone();
    x.watch();
    const Tensor y = by_name().at(name)(x);
    sum(y).backward();
    for (const double value : y.values()) {
      EXPECT_TRUE(std::isfinite(value)) << name;
    }
    for (const double value : x.gradient().values()) {
      EXPECT_TRUE(std::isfinite(value)) << name;
    }
  }
}

TEST_P(Activations, MeetTheirLimits) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor ends = Tensor::of<double>({-inf, inf}, {2}, GetParam());
  EXPECT_TRUE(close(exp(ends), {0, inf}));
  EXPECT_TRUE(close(sigmoid(ends), {0, 1}));
  EXPECT_TRUE(close(tanh(ends), {-1, 1}));
  EXPECT_TRUE(close(relu(ends), {0, inf}));
  EXPECT_TRUE(close(log(Tensor::zeros({1}, GetParam())), {-inf}));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Activations, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::activations_test
