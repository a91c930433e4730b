#include "heed/nn/linear.h"

#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::linear_test {
namespace {

class LinearTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, LinearTest, ::testing::ValuesIn(places()), name_of_place);

TEST_P(LinearTest, MultipliesByTheWeightTransposedAndAddsTheBias) {
  const RanOn guard(place());
  Init init(place(), 1);
  Linear layer;
  layer.build(2, 3, init);
  copy_values(Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2}, place()),
              layer.weight().master());
  copy_values(Tensor::of(std::vector<double>{10, 20, 30}, {3}, place()), layer.bias());
  const Tensor x = Tensor::of(std::vector<double>{1, -1, 0.5, 2}, {2, 1, 2}, place());
  const Tensor y = layer(x);
  EXPECT_EQ(y.shape(), (Shape{2, 1, 3}));
  EXPECT_TRUE(close(y, {9, 19, 29, 14.5, 29.5, 44.5}));
}

TEST_P(LinearTest, BeginsAtZeroBiasAndMayHaveNone) {
  Init init(place(), 1);
  Linear with;
  with.build(4, 3, init);
  EXPECT_TRUE(close(with.bias(), {0, 0, 0}));
  Linear without(false);
  without.build(4, 3, init);
  EXPECT_FALSE(without.bias().defined());
  EXPECT_EQ(count_parameters(without), 12);
  EXPECT_TRUE(close(without(Tensor::zeros({1, 4}, place())), {0, 0, 0}));
}

TEST_P(LinearTest, GradientsReachBoth) {
  Init init(place(), 1);
  Linear layer;
  layer.build(4, 3, init);
  EXPECT_TRUE(gradients_reach(layer, [&] { return layer(normal({5, 4})); }));
}

TEST_P(LinearTest, RefusesWidthZero) {
  Init init(place(), 1);
  EXPECT_THROW(Linear().build(0, 3, init), Error);
}

}  // namespace
}  // namespace heed::test::linear_test
