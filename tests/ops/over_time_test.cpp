// Convolution over time and glu against PyTorch, whose tensors are channels first.
#include "heed/ops/convolve.h"
#include "heed/ops/glu.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::over_time_test {
namespace {

class AgainstPyTorch : public ::testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, AgainstPyTorch, ::testing::ValuesIn(places()), name_of_place);

Tensor watched(const FixtureCase& c, const std::string& name) {
  Tensor x = c.tensor(name).clone();
  return x.watch();
}

/// x [B, T, C], weight [O, K, C]
Tensor over_time(const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const Padding& padding = Padding::none(), int64_t stride = 1,
                 int64_t dilation = 1) {
  const GridWindows windows{1, weight.size(1), stride, padding, dilation};
  return squeeze(convolve(unsqueeze(x, 1), weight, bias, {.windows = windows}), 1);
}

TEST_P(AgainstPyTorch, ConvolveOverTime) {
  for (const FixtureCase& c : read_fixture("conv1d", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = watched(c, "x");
    const Tensor weight = watched(c, "weight");
    const Tensor bias = c.has("bias") ? watched(c, "bias") : Tensor();
    const Tensor y =
        transpose(over_time(transpose(x), transpose(weight), bias,
                            Padding::across(c.integer("padding_left"), c.integer("padding_right")),
                            c.integer("stride"), c.integer("dilation")));
    EXPECT_TRUE(close(y, c.tensor("y"), 64));
    y.backward(c.tensor("d_y"));
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), 64));
    EXPECT_TRUE(close(weight.gradient(), c.tensor("d_weight"), 64));
    if (bias.defined()) {
      EXPECT_TRUE(close(bias.gradient(), c.tensor("d_bias"), 64));
    }
  }
}

TEST_P(AgainstPyTorch, Glu) {
  for (const FixtureCase& c : read_fixture("glu", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = watched(c, "x");
    const int axis = static_cast<int>(c.integer("axis"));
    const Tensor y = transpose(glu(transpose(x, axis, -1)), axis, -1);
    EXPECT_TRUE(close(y, c.tensor("y")));
    y.backward(c.tensor("d_y"));
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x")));
  }
}

TEST_P(AgainstPyTorch, ShapesThatDoNotFitAreSaid) {
  const Tensor x = Tensor::zeros({2, 4, 3}, GetParam());
  const Tensor weight = Tensor::zeros({5, 3, 3}, GetParam());
  EXPECT_EQ(over_time(x, weight, {}).shape(), (Shape{2, 2, 5}));
  EXPECT_THROW(over_time(x, Tensor::zeros({5, 3, 2}, GetParam()), {}), Error);
  EXPECT_THROW(over_time(x, Tensor::zeros({5, 5, 3}, GetParam()), {}), Error);
  EXPECT_THROW(over_time(x, weight, Tensor::zeros({4}, GetParam())), Error);
  EXPECT_THROW(over_time(x, weight, {}, Padding::none(), 0), Error);
  EXPECT_THROW(over_time(x, weight, {}, Padding::across(-1, 0)), Error);
  EXPECT_THROW(over_time(x, weight, {}, Padding::across(0, -1)), Error);
  EXPECT_THROW(over_time(x, weight, {}, Padding::none(), 1, 0), Error);
  EXPECT_THROW(over_time(x, weight, {}, Padding::none(), 1, 2), Error);
  EXPECT_THROW(glu(x), Error);
}

}  // namespace
}  // namespace heed::test::over_time_test
