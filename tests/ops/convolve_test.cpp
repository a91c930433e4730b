// Convolution and pooling over grids against PyTorch, whose tensors are channels first.
#include "heed/ops/convolve.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "heed/ops/permute.h"
#include "heed/ops/pool.h"
#include "heed/ops/products.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::convolve_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GridsAgainstPyTorch : public ::testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, GridsAgainstPyTorch, ::testing::ValuesIn(places()),
                         name_of_place);

Tensor leaf(const FixtureCase& c, const std::string& name) {
  Tensor x = c.tensor(name).clone();
  return x.watch();
}

Tensor channels_last(const Tensor& x) { return permute(x, {0, 2, 3, 1}); }
Tensor channels_first(const Tensor& x) { return permute(x, {0, 3, 1, 2}); }

Padding padding_of(const FixtureCase& c) {
  return c.integer("padding") < 0 ? Padding::same() : Padding::each_side(c.integer("padding"));
}

GridWindows windows_of(const FixtureCase& c, const Tensor& weight) {
  return {weight.size(2), weight.size(3), c.integer("stride"), padding_of(c)};
}

/// PyTorch's [O, C, h, w] as the matrix [O, (h, w, C)].
Tensor as_matrix(const Tensor& weight) {
  return reshape(channels_last(weight), {weight.size(0), -1});
}

Tensor convolved(const FixtureCase& c, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return channels_first(
      convolve(channels_last(x), as_matrix(weight), bias,
               {.windows = windows_of(c, weight), .groups = c.integer("groups")}));
}

void expect_gradients(const FixtureCase& c, const Tensor& x, const Tensor& weight,
                      const Tensor& bias) {
  EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), 64));
  EXPECT_TRUE(close(weight.gradient(), c.tensor("d_weight"), 64));
  if (bias.defined()) {
    EXPECT_TRUE(close(bias.gradient(), c.tensor("d_bias"), 64));
  }
}

TEST_P(GridsAgainstPyTorch, Convolve) {
  for (const FixtureCase& c : read_fixture("conv2d", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = leaf(c, "x");
    const Tensor weight = leaf(c, "weight");
    const Tensor bias = c.has("bias") ? leaf(c, "bias") : Tensor();
    const Tensor y = convolved(c, x, weight, bias);
    EXPECT_TRUE(close(y, c.tensor("y"), 64));
    y.backward(c.tensor("d_y"));
    expect_gradients(c, x, weight, bias);
    const NoGrad no_grad;  // by the kernel that finishes the product
    EXPECT_TRUE(close(convolved(c, x, weight, bias), c.tensor("y"), 64));
  }
}

TEST_P(GridsAgainstPyTorch, ConvolveDepthwise) {
  int met = 0;
  for (const FixtureCase& c : read_fixture("conv2d", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = leaf(c, "x");
    if (c.integer("groups") != x.size(1)) {
      continue;
    }
    ++met;
    const Tensor weight = leaf(c, "weight");  // [C, 1, h, w]
    const Tensor bias = c.has("bias") ? leaf(c, "bias") : Tensor();
    const Tensor cells = transpose(reshape(weight, {weight.size(0), -1}));
    const Tensor y =
        channels_first(convolve_depthwise(channels_last(x), cells, bias, windows_of(c, weight)));
    EXPECT_TRUE(close(y, c.tensor("y"), 64));
    y.backward(c.tensor("d_y"));
    expect_gradients(c, x, weight, bias);
  }
  EXPECT_EQ(met, 3);
}

TEST_P(GridsAgainstPyTorch, Pool) {
  for (const FixtureCase& c : read_fixture("pool2d", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = leaf(c, "x");
    const GridWindows windows{c.integer("height"), c.integer("width"), c.integer("stride"),
                              padding_of(c)};
    const Tensor most = channels_first(max_pool(channels_last(x), windows));
    const Tensor mean = channels_first(mean_pool(channels_last(x), windows));
    const Tensor grid = mean_of_grid(channels_last(x));
    EXPECT_TRUE(close(most, c.tensor("most")));
    EXPECT_TRUE(close(mean, c.tensor("mean"), 16));
    EXPECT_TRUE(close(grid, c.tensor("grid"), 32));
    most.backward(c.tensor("d_most"));
    mean.backward(c.tensor("d_mean"));
    grid.backward(c.tensor("d_grid"));
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), 64));
  }
}

Tensor drawn_tensor(const Shape& shape, uint64_t number, const Place& place) {
  return Tensor::random(shape, Distribution::normal, {.seed = 4, .stream = number}, place);
}

/// A weight that serves, packed once, computes what its master does, with f behind it.
TEST_P(GridsAgainstPyTorch, AServingWeightConvolvesLikeItsMaster) {
  const Place place = GetParam();
  const Tensor x = drawn_tensor({2, 7, 6, 5}, 1, place);
  const Tensor master = drawn_tensor({9, 3 * 3 * 5}, 2, place);
  const Tensor bias = drawn_tensor({9}, 3, place);
  ConvolveOptions options{.windows = GridWindows::square(3, 2, Padding::same())};
  for (const AfterProduct after :
       {AfterProduct::nothing, AfterProduct::relu, AfterProduct::relu6, AfterProduct::gelu}) {
    options.after = after;
    Weight weight(master.clone());
    const Tensor expected = convolve(x, weight, bias, options);
    weight.serve(Precision::f32);
    EXPECT_TRUE(close(convolve(x, weight, bias, options), expected, 45));
    Tensor watched = x.clone();
    watched.watch();
    const Tensor recorded = convolve(watched, Weight(master), bias, options);
    EXPECT_TRUE(recorded.needs_gradient());
    EXPECT_TRUE(close(recorded, expected, 45));
  }
  Weight grouped(drawn_tensor({6, 3 * 3}, 5, place), Weight::Use::looked_up_too);
  options = {.windows = GridWindows::square(3, 1, Padding::same()), .groups = 3};
  const Tensor three = drawn_tensor({1, 4, 4, 3}, 6, place);
  const Tensor before = convolve(three, grouped, {}, options);
  grouped.serve(Precision::f32);
  EXPECT_TRUE(close(convolve(three, grouped, {}, options), before, 9));
}

/// f after a depthwise convolution, also one that the kernel lacks.
TEST_P(GridsAgainstPyTorch, DepthwiseFinishesWithTheActivation) {
  const Place place = GetParam();
  const Tensor x = drawn_tensor({1, 5, 9, 19}, 1, place);
  const Tensor weight = drawn_tensor({9, 19}, 2, place);
  const Tensor bias = drawn_tensor({19}, 3, place);
  const GridWindows windows = GridWindows::square(3, 1, Padding::same());
  const std::vector<double> plain = convolve_depthwise(x, weight, bias, windows).values();
  for (const auto& [after, f] : std::vector<std::pair<AfterProduct, double (*)(double)>>{
           {AfterProduct::relu, [](double z) { return std::max(z, 0.0); }},
           {AfterProduct::relu6, [](double z) { return std::min(std::max(z, 0.0), 6.0); }},
           {AfterProduct::tanh, [](double z) { return std::tanh(z); }}}) {
    std::vector<double> expected = plain;
    std::transform(expected.begin(), expected.end(), expected.begin(), f);
    EXPECT_TRUE(close(convolve_depthwise(x, weight, bias, windows, after), expected, 16));
  }
}

TEST_P(GridsAgainstPyTorch, WhatDoesNotFitIsSaid) {
  const Place place = GetParam();
  const Tensor x = Tensor::zeros({2, 4, 3, 6}, place);
  const GridWindows three{3, 3, 1, Padding::none()};
  const auto run = [&](const Shape& weight, const GridWindows& windows, int64_t groups) {
    return [=] {
      convolve(x, Tensor::zeros(weight, place), {}, {.windows = windows, .groups = groups});
    };
  };
  EXPECT_NO_THROW(run({5, 54}, three, 1)());
  EXPECT_THAT(run({5, 53}, three, 1), ThrowsMessage<Error>(HasSubstr("needs weight [O, 3 · 3")));
  EXPECT_THAT(run({5, 18}, three, 3), ThrowsMessage<Error>(HasSubstr("groups that divide")));
  EXPECT_THAT(run({5, 150}, {5, 5, 1, Padding::none()}, 1),
              ThrowsMessage<Error>(HasSubstr("needs room for a window of 5 × 5")));
  EXPECT_THAT(run({5, 54}, {3, 3, 0, Padding::none()}, 1),
              ThrowsMessage<Error>(HasSubstr("needs 1 or more")));
  EXPECT_THAT(run({5, 54}, {3, 3, 1, Padding::each_side(-1)}, 1),
              ThrowsMessage<Error>(HasSubstr("padding of -1 cells")));
  EXPECT_THAT(
      [&] {
        convolve(x, Tensor::zeros({5, 54}, place), Tensor::zeros({4}, place), {.windows = three});
      },
      ThrowsMessage<Error>(HasSubstr("needs [5] where x lives")));
  EXPECT_THAT(
      [&] {
        convolve_depthwise(x, Tensor::zeros({9, 5}, place), {}, three);
      },
      ThrowsMessage<Error>(HasSubstr("needs weight [9, 6]")));
  EXPECT_THAT(
      [&] {
        max_pool(x, {2, 2, 2, Padding::each_side(2)});
      },
      ThrowsMessage<Error>(HasSubstr("a window that lies in the padding")));
  EXPECT_EQ(convolve(Tensor::zeros({0, 4, 3, 6}, place), Tensor::zeros({5, 54}, place), {},
                     {.windows = three})
                .shape(),
            (Shape{0, 2, 1, 5}));
}

/// TensorFlow's SAME, from its documentation's formula worked out by hand.
TEST(Padding, SameIsTensorFlows) {
  const auto sides = [](int64_t n, int64_t k, int64_t s) {
    const Padding::Sides found = Padding::same().sides_down(n, k, s);
    return std::vector<int64_t>{found.before, found.after, found.windows};
  };
  EXPECT_EQ(sides(224, 3, 2), (std::vector<int64_t>{0, 1, 112}));
  EXPECT_EQ(sides(10, 5, 2), (std::vector<int64_t>{1, 2, 5}));
  EXPECT_EQ(sides(7, 3, 2), (std::vector<int64_t>{1, 1, 4}));
  EXPECT_EQ(sides(5, 5, 1), (std::vector<int64_t>{2, 2, 5}));
  EXPECT_EQ(sides(7, 1, 2), (std::vector<int64_t>{0, 0, 4}));
  EXPECT_EQ(sides(1, 2, 3), (std::vector<int64_t>{0, 1, 1}));
}

}  // namespace
}  // namespace heed::test::convolve_test
