#include "heed/ops/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/backends.h"

namespace heed::test::matmul_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Matmul : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor of(const std::vector<double>& values, const Shape& shape) {
    return Tensor::of(values, shape, GetParam());
  }
};

TEST_P(Matmul, MultipliesByHand) {
  const Tensor a = of({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor b = of({1, 0, 0, 1, 1, 1}, {3, 2});
  EXPECT_THAT(matmul(a, b).values(), ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(matmul(a, a, {.transpose_b = true}).values(), ElementsAre(14, 32, 32, 77));
  EXPECT_THAT(matmul(a, a, {.transpose_a = true, .scale = 2}).values(),
              ElementsAre(34, 44, 54, 44, 58, 72, 54, 72, 90));
}

TEST_P(Matmul, BatchesOneMatrixOverAll) {
  const Tensor a = of({1, 2, 3, 4}, {2, 1, 2});
  const Tensor b = of({1, 10}, {2, 1});
  const Tensor c = matmul(a, b);
  EXPECT_EQ(c.shape(), (Shape{2, 1, 1}));
  EXPECT_THAT(c.values(), ElementsAre(21, 43));
}

TEST_P(Matmul, LinearIsRowsTimesWeightTransposedPlusBias) {
  const Tensor x = of({1, 2}, {1, 1, 2});
  const Tensor weight = of({1, 0, 0, 1, 1, 1}, {3, 2});
  const Tensor y = linear(x, weight, of({10, 20, 30}, {3}));
  EXPECT_EQ(y.shape(), (Shape{1, 1, 3}));
  EXPECT_THAT(y.values(), ElementsAre(11, 22, 33));
  EXPECT_THAT(linear(x, weight).values(), ElementsAre(1, 2, 3));
}

TEST_P(Matmul, ExplainsWhatDoesNotFit) {
  const Tensor a = Tensor::zeros({2, 3}, GetParam());
  const Tensor b = Tensor::zeros({4, 5}, GetParam());
  EXPECT_THAT([&] { matmul(a, b); }, ThrowsMessage<Error>(HasSubstr("inner axes 3 and 4")));
  EXPECT_THAT([&] { matmul(a, Tensor::zeros({3}, GetParam())); },
              ThrowsMessage<Error>(HasSubstr("needs matrices")));
  EXPECT_THAT([&] { linear(a, b); }, ThrowsMessage<Error>(HasSubstr("weight [4, 5]")));
  EXPECT_THAT(
      [&] {
        linear(a, Tensor::zeros({4, 3}, GetParam()), Tensor::zeros({3}, GetParam()));
      },
      ThrowsMessage<Error>(HasSubstr("needs [4]")));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Matmul, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::matmul_test
