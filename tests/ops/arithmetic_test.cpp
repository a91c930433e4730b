#include "heed/ops/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/reduce.h"
#include "heed/ops/select.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::arithmetic_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Arithmetic : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor of(const std::vector<double>& values, const Shape& shape) {
    return Tensor::of(values, shape, GetParam());
  }
  static Tensor of(const std::vector<double>& values) {
    return of(values, {static_cast<int64_t>(values.size())});
  }
  static Tensor leaf(const std::vector<double>& values) {
    Tensor x = of(values);
    return x.watch();
  }
};

TEST_P(Arithmetic, HasTheUsualOperators) {
  const Tensor x = of({1, 2});
  const Tensor y = of({4, 8});
  EXPECT_THAT((x + y).values(), ElementsAre(5, 10));
  EXPECT_THAT((x - y).values(), ElementsAre(-3, -6));
  EXPECT_THAT((x * y).values(), ElementsAre(4, 16));
  EXPECT_THAT((x / y).values(), ElementsAre(0.25, 0.25));
  EXPECT_THAT((x + 1).values(), ElementsAre(2, 3));
  EXPECT_THAT((1 - x).values(), ElementsAre(0, -1));
  EXPECT_THAT((2 * x - 1).values(), ElementsAre(1, 3));
  EXPECT_THAT((x / 2).values(), ElementsAre(0.5, 1));
  EXPECT_THAT((8 / y).values(), ElementsAre(2, 1));
  EXPECT_THAT((-x).values(), ElementsAre(-1, -2));
}

TEST_P(Arithmetic, BroadcastsBothSides) {
  const Tensor z = of({1, 2, 3}, {3, 1}) * of({10, 100});
  EXPECT_EQ(z.shape(), (Shape{3, 2}));
  EXPECT_THAT(z.values(), ElementsAre(10, 100, 20, 200, 30, 300));
  EXPECT_EQ((of({}, {0, 2}) + of({1, 2})).shape(), (Shape{0, 2}));
}

TEST_P(Arithmetic, ExplainsWhatDoesNotFit) {
  EXPECT_THAT([] { of({1, 2}) + of({1, 2, 3}); }, ThrowsMessage<Error>(HasSubstr("broadcast")));
  const Tensor whole = Tensor::full({2}, 1, GetParam().with(DType::i32));
  EXPECT_THAT(
      [&] {
        of({1, 2}) + whole;
      },
      ThrowsMessage<Error>(HasSubstr("needs one element type on one backend")));
  EXPECT_THROW(clamp(of({1}), 2, 1), Error);
  EXPECT_THROW(Tensor() + of({1}), Error);
}

TEST_P(Arithmetic, GivesATieToTheFirst) {
  using Op = Tensor (*)(const Tensor&, const Tensor&);
  for (const Op op : {Op{maximum}, Op{minimum}}) {
    const Tensor x = leaf({1, 2});
    const Tensor y = leaf({1, 2});
    sum(op(x, y)).backward();
    EXPECT_THAT(x.gradient().values(), ElementsAre(1, 1));
    EXPECT_THAT(y.gradient().values(), ElementsAre(0, 0));
  }
}

TEST_P(Arithmetic, ClampLetsTheGradientOfItsBoundsThrough) {
  const Tensor x = leaf({-2, -1, 0, 1, 2});
  sum(clamp(x, -1, 1)).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(0, 1, 1, 1, 0));
}

TEST_P(Arithmetic, AbsoluteHasNoGradientAtZero) {
  const Tensor x = leaf({-3, 0, 3});
  sum(absolute(x)).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(-1, 0, 1));
}

TEST_P(Arithmetic, TakesOneTensorTwice) {
  const Tensor x = leaf({2, 3});
  sum(x * x + x).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(5, 7));
}

TEST_P(Arithmetic, WhatIsNotSelectedDoesNoHarm) {
  const Tensor x = leaf({1, 2});
  const Tensor bad = leaf({std::nan(""), std::numeric_limits<double>::infinity()});
  sum(select(of({1, 1}), x, bad)).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(1, 1));
  EXPECT_THAT(bad.gradient().values(), ElementsAre(0, 0));
}

TEST_P(Arithmetic, ComparesToOneAndZero) {
  const Tensor x = of({1, 2, 3});
  const Tensor two = of({2});
  EXPECT_THAT(equal(x, two).values(), ElementsAre(0, 1, 0));
  EXPECT_THAT(less(x, two).values(), ElementsAre(1, 0, 0));
  EXPECT_THAT(at_most(x, two).values(), ElementsAre(1, 1, 0));
  EXPECT_THAT(within(x, of({1}), of({3})).values(), ElementsAre(1, 1, 0));
  const Tensor whole = Tensor::of<int32_t>({1, 2, 3}, {3}, GetParam().with(DType::i32));
  EXPECT_EQ(equal(whole, whole).dtype(), DType::i32);
}

TEST_P(Arithmetic, MovesBetweenPlacesWithItsGradient) {
  for (const Place& place : places()) {
    const Tensor x = leaf({1, 2.5, -3});
    const Tensor there = to_place(x, place);
    EXPECT_EQ(there.place(), place);
    EXPECT_THAT(there.values(), ElementsAre(1, 2.5, -3));
    (there * 2).backward(Tensor::full({3}, 1, place));
    EXPECT_EQ(x.gradient().place(), GetParam());
    EXPECT_THAT(x.gradient().values(), ElementsAre(2, 2, 2));
  }
}

TEST_P(Arithmetic, CastsToWholeNumbersWithoutAGradient) {
  const Tensor x = leaf({1, 2, -3});
  const Tensor whole = cast(x, DType::i32);
  EXPECT_EQ(whole.dtype(), DType::i32);
  EXPECT_FALSE(whole.needs_gradient());
  EXPECT_THAT(whole.values<int32_t>(), ElementsAre(1, 2, -3));
  EXPECT_THAT(cast(whole, GetParam().dtype).values(), ElementsAre(1, 2, -3));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Arithmetic, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::arithmetic_test
