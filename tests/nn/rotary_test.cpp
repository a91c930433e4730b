#include "heed/nn/rotary.h"

#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"
#include "tests/nn/places.h"

namespace heed::test::rotary_test {
namespace {

class RotaryTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, RotaryTest, ::testing::ValuesIn(places()), name_of_place);

TEST_P(RotaryTest, EqualsMultiplicationByComplexNumbersForwardAndBackward) {
  const RanOn guard(place());
  int met = 0;
  for (const FixtureCase& c : read_fixture("positions", place())) {
    if (!c.has("d_y")) {
      continue;
    }
    SCOPED_TRACE(c.name);
    Tensor x = c.tensor("x").clone().watch();                    // [R, H, d]
    const Tensor position = unsqueeze(c.tensor("position"), 1);  // [R, 1], i32
    const Tensor y = rotate(x, position, c.number("base"));
    EXPECT_TRUE(close(y, c.tensor("y"), 64));
    y.backward(c.tensor("d_y"));
    EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), 64));
    ++met;
  }
  EXPECT_EQ(met, 2);
}

TEST_P(RotaryTest, ProductsDependOnTheDistanceOnly) {
  const Tensor q = normal({1, 8}, 1);
  const Tensor k = normal({1, 8}, 2);
  const auto product = [&](int32_t i, int32_t j) {
    return matmul(rotate(q, whole({i})), rotate(k, whole({j})), {.transpose_b = true}).item();
  };
  EXPECT_NEAR(product(3, 1), product(12, 10), 1e-4);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST_P(RotaryTest, TakesPositionsOfAnyElementTypeThatBroadcast) {
  const Tensor x = normal({2, 3, 4});
  const Tensor whole_numbers =
      Tensor::of(std::vector<int32_t>{0, 5, 9}, {1, 3}, place().with(DType::i32));
  const Tensor real = Tensor::of(std::vector<double>{0, 5, 9}, {3}, place());
  EXPECT_TRUE(same_bits(rotate(x, whole_numbers), rotate(x, real)));
}

TEST_P(RotaryTest, RefusesAnOddWidth) {
  EXPECT_THROW(rotate(normal({2, 3}), whole({0, 1})), Error);
}

}  // namespace
}  // namespace heed::test::rotary_test
