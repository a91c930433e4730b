// Convolution and glu against PyTorch, whose tensors are channels first.
#include "heed/ops/conv1d.h"

#include "heed/ops/glu.h"
#include "heed/ops/permute.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::conv1d_test {
namespace {

class AgainstPyTorch : public ::testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, AgainstPyTorch, ::testing::ValuesIn(places()), name_of_place);

Tensor watched(const FixtureCase& c, const std::string& name) {
  Tensor x = c.tensor(name).clone();
  return x.watch();
}

TEST_P(AgainstPyTorch, Conv1d) {
  for (const FixtureCase& c : read_fixture("conv1d", GetParam())) {
    SCOPED_TRACE(c.name);
    const Tensor x = watched(c, "x");
    const Tensor weight = watched(c, "weight");
    const Tensor bias = c.has("bias") ? watched(c, "bias") : Tensor();
    const Tensor y = transpose(conv1d(transpose(x), transpose(weight), bias,
                                      {.stride = c.integer("stride"),
                                       .dilation = c.integer("dilation"),
                                       .pad_left = c.integer("padding_left"),
                                       .pad_right = c.integer("padding_right")}));
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
  EXPECT_EQ(conv1d(x, weight, {}).shape(), (Shape{2, 2, 5}));
  EXPECT_THROW(conv1d(x, Tensor::zeros({5, 3, 2}, GetParam()), {}), Error);
  EXPECT_THROW(conv1d(x, Tensor::zeros({5, 5, 3}, GetParam()), {}), Error);
  EXPECT_THROW(conv1d(x, weight, Tensor::zeros({4}, GetParam())), Error);
  EXPECT_THROW(conv1d(x, weight, {}, {.stride = 0}), Error);
  EXPECT_THROW(conv1d(x, weight, {}, {.pad_left = -1}), Error);
  EXPECT_THROW(glu(x), Error);
}

}  // namespace
}  // namespace heed::test::conv1d_test
