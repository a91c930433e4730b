#include "heed/ops/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/ops/topk.h"
#include "tests/support/backends.h"

namespace heed::test::reduce_test {
namespace {

using ::testing::ElementsAre;

class Reduce : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor leaf(const std::vector<double>& values, const Shape& shape) {
    Tensor x = Tensor::of(values, shape, GetParam());
    return x.watch();
  }
};

TEST_P(Reduce, ReducesTheAxesNamed) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(sum(x).item(), 21);
  EXPECT_EQ(mean(x).item(), 3.5);
  EXPECT_THAT(sum(x, {0}).values(), ElementsAre(5, 7, 9));
  EXPECT_THAT(mean(x, {-1}).values(), ElementsAre(2, 5));
  EXPECT_EQ(sum(x, {1}, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(sum(x, {0, 1}).shape(), Shape{});
  EXPECT_THAT(max(x, 0).values(), ElementsAre(4, 5, 6));
  EXPECT_THAT(argmax(x, 1).values<int32_t>(), ElementsAre(2, 2));
  EXPECT_EQ(argmax(x, 1, true).shape(), (Shape{2, 1}));
}

TEST_P(Reduce, GivesATieToTheLowestIndex) {
  const Tensor x = leaf({7, 1, 7, 5, 5, 5}, {2, 3});
  EXPECT_THAT(argmax(x, 1).values<int32_t>(), ElementsAre(0, 0));
  sum(max(x, 1)).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(1, 0, 0, 1, 0, 0));
}

TEST_P(Reduce, MaxHandsItsGradientBackAlongAnyAxis) {
  const Tensor x = leaf({1, 9, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  const Tensor y = max(x, 1);  // [2, 2]: 3, 9 | 7, 8
  EXPECT_THAT(y.values(), ElementsAre(3, 9, 7, 8));
  y.backward(Tensor::of<double>({10, 20, 30, 40}, {2, 2}, GetParam()));
  EXPECT_THAT(x.gradient().values(), ElementsAre(0, 20, 10, 0, 0, 0, 30, 40));
}

TEST_P(Reduce, TopkIsDescendingWithTiesByIndex) {
  const Tensor x = leaf({3, 9, 9, 1, 4, 4, 0, 4}, {2, 4});
  const TopK top = topk(x, 3);
  EXPECT_THAT(top.values.values(), ElementsAre(9, 9, 3, 4, 4, 4));
  EXPECT_THAT(top.indices.values<int32_t>(), ElementsAre(1, 2, 0, 0, 1, 3));
  top.values.backward(Tensor::of<double>({1, 2, 3, 4, 5, 6}, {2, 3}, GetParam()));
  EXPECT_THAT(x.gradient().values(), ElementsAre(3, 1, 2, 0, 4, 5, 0, 6));
  EXPECT_THROW(topk(x, 5), Error);
}

TEST_P(Reduce, RefusesWhatHasNoAnswer) {
  const Tensor x = leaf({}, {2, 0});
  EXPECT_EQ(sum(x, {1}).values(), (std::vector<double>{0, 0}));
  EXPECT_THROW(mean(x, {1}), Error);
  EXPECT_THROW(max(x, 1), Error);
  EXPECT_THROW(argmax(x, 1), Error);
  EXPECT_THROW(sum(x, {2}), Error);
  EXPECT_THROW(sum(x, {0, -2}), Error);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Reduce, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::reduce_test
