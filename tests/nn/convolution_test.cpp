#include "heed/nn/convolution.h"

#include <gtest/gtest.h>

#include "heed/nn/precision.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::convolution_test {
namespace {

class Convolutions : public ::testing::TestWithParam<Place> {
 protected:
  Init init_{GetParam(), 5};
  Pass pass_ = Pass::serving();

  Tensor normal(const Shape& shape, uint64_t number) const {
    return Tensor::random(shape, Distribution::normal, {.seed = 2, .stream = number}, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Convolutions, ::testing::ValuesIn(places()), name_of_place);

/// By hand: two channels of 2 × 2 cells, a window of 2 × 2, PyTorch's weight [1, 2, 2, 2].
TEST_P(Convolutions, ReadWeightsAsPyTorchHasThem) {
  Convolution layer;
  layer.build(2, 1, {.windows = {2, 2, 1, Padding::none()}}, init_);
  layer.set_weight(
      Tensor::of(std::vector<double>{1, 2, 3, 4, 10, 20, 30, 40}, {1, 2, 2, 2}, GetParam()));
  layer.set_bias(Tensor::of(std::vector<double>{0.5}, {1}, GetParam()));
  // Cells (0, 0) … (1, 1), each with its two channels.
  const Tensor x =
      Tensor::of(std::vector<double>{1, 5, 2, 6, 3, 7, 4, 8}, {1, 2, 2, 2}, GetParam());
  const double first = 1 * 1 + 2 * 2 + 3 * 3 + 4 * 4;
  const double second = 10 * 5 + 20 * 6 + 30 * 7 + 40 * 8;
  EXPECT_TRUE(close(layer(x, pass_), std::vector<double>{first + second + 0.5}, 8));
}

TEST_P(Convolutions, ReadDepthwiseWeightsAsPyTorchHasThem) {
  Convolution layer;
  layer.build(2, 2, {.windows = {1, 2, 1, Padding::none()}, .groups = 2}, init_);
  layer.set_weight(Tensor::of(std::vector<double>{1, 2, 10, 20}, {2, 1, 1, 2}, GetParam()));
  const Tensor x = Tensor::of(std::vector<double>{3, 5, 4, 6}, {1, 1, 2, 2}, GetParam());
  EXPECT_TRUE(close(layer(x, pass_), std::vector<double>{1 * 3 + 2 * 4, 10 * 5 + 20 * 6}, 4));
  EXPECT_THROW(layer.set_weight(normal({2, 2, 1, 2}, 1)), Error);
}

TEST_P(Convolutions, ServeWhatTheyLearned) {
  for (const int64_t groups : {1, 2, 4}) {
    Convolution layer;
    layer.build(4, groups == 4 ? 4 : 6,
                {.windows = GridWindows::square(3, 2, Padding::same()),
                 .groups = groups,
                 .after = AfterProduct::relu},
                init_);
    const Tensor x = normal({2, 5, 6, 4}, 1);
    const Tensor expected = layer(x, pass_).detached();
    EXPECT_EQ(expected.shape(), (Shape{2, 3, 3, layer.out()}));
    serve(layer, Precision::f32);
    EXPECT_TRUE(close(layer(x, pass_), expected, 64)) << groups;
  }
}

TEST_P(Convolutions, FrozenOnesGetNoGradientAndAreNotTrained) {
  for (const int64_t groups : {1, 4}) {
    Convolution layer;
    layer.build(4, 4, {.groups = groups}, init_);
    EXPECT_EQ(trained_parameters_of(layer).size(), 2U);
    const int64_t count = count_parameters(layer);
    Tensor x = normal({1, 4, 4, 4}, 1);
    x.watch();
    const std::vector<double> before = layer(x, pass_).values();
    EXPECT_TRUE(layer.is_watched());
    layer.freeze();
    EXPECT_FALSE(layer.is_watched());
    EXPECT_TRUE(trained_parameters_of(layer).empty());
    EXPECT_EQ(distinct_parameters_of(layer).size(), 2U);
    EXPECT_EQ(count_parameters(layer), count);
    const Tensor y = layer(x, pass_);
    EXPECT_EQ(y.values(), before);
    sum(y).backward();
    EXPECT_TRUE(x.gradient().defined());  // what lies before it is still trained
    for (const NamedParameter& parameter : distinct_parameters_of(layer)) {
      EXPECT_FALSE(parameter.tensor->gradient().defined()) << parameter.name;
    }
  }
}

TEST_P(Convolutions, SayWhatDoesNotFit) {
  Convolution layer;
  EXPECT_THROW(layer.build(0, 4, {}, init_), Error);
  EXPECT_THROW(layer.build(4, 4, {.groups = 3}, init_), Error);
  EXPECT_THROW(layer.build(4, 4, {.windows = {0, 3, 1, Padding::none()}}, init_), Error);
}

}  // namespace
}  // namespace heed::test::convolution_test
