// Copies with casts, fills and random numbers.
#include <cmath>
#include <limits>
#include <set>

#include "heed/base/philox.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::copy_test {
namespace {

class Copy : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Copy, ::testing::ValuesIn(places()), name_of_place);

TEST_P(Copy, EveryLayoutToEveryOther) {
  const Place place = GetParam();
  Dice dice(1);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = dice.shape(static_cast<int>(dice.below(5)), 12);
    SCOPED_TRACE(heed::to_string(shape));
    const Laid from = laid_normal(shape, place, dice, static_cast<Spacing>(dice.below(3)));
    const Laid to = laid_normal(shape, place, dice);
    place.backend->copy(to.tensor.view(), from.tensor.view());
    ASSERT_EQ(read(to), from.values);
  }
}

TEST_P(Copy, LongAndTransposed) {
  const Place place = GetParam();
  Dice dice(2);
  const Shape shape{133, 257};
  const Laid from = laid_normal(shape, place, dice, Spacing::dense);
  const Tensor to = Tensor::empty({257, 133}, place);
  place.backend->copy(to.view(), transposed(from.tensor.view()));
  const auto values = to.values<double>();
  for (int64_t i = 0; i < 133; ++i) {
    for (int64_t j = 0; j < 257; ++j) {
      ASSERT_EQ(values[static_cast<size_t>(j * 133 + i)],
                from.values[static_cast<size_t>(i * 257 + j)]);
    }
  }
}

TEST_P(Copy, BatchesTransposedAndCast) {
  const Place place = GetParam();
  Dice dice(5);
  const Laid from = laid({3, 37, 70}, place, dice, Spacing::dense,
                         [&] { return static_cast<double>(dice.below(100)); });
  for (const DType dtype : {place.dtype, DType::i32}) {
    const Tensor to = Tensor::empty({3, 70, 37}, place.with(dtype));
    place.backend->copy(to.view(), transposed(from.tensor.view()));
    std::vector<double> expected;
    each_index(to.shape(), [&](std::span<const int64_t> at) {
      expected.push_back(from.at({at[0], at[2], at[1]}));
    });
    EXPECT_EQ(to.values(), expected);
  }
}

TEST_P(Copy, EveryTypeToEveryOtherWhateverTheLayout) {
  const Place place = GetParam();
  Dice dice(6);
  const DType all[] = {place.dtype, DType::i32, DType::bf16, DType::f16, DType::u8};
  for (const DType source : all) {
    for (const DType target : all) {
      SCOPED_TRACE(std::string(name_of(source)) + " to " + name_of(target));
      const auto draw = [&] { return static_cast<double>(dice.below(256)); };  // exact in all
      for (const Spacing layout : {Spacing::dense, Spacing::strided}) {
        const Laid from = laid({5, 33, 9}, place.with(source), dice, layout, draw);
        const Laid to = laid({5, 33, 9}, place.with(target), dice, Spacing::dense, draw);
        place.backend->copy(to.tensor.view(), from.tensor.view());
        ASSERT_EQ(read(to), from.values);
        const Tensor turned = Tensor::empty({5, 9, 33}, place.with(target));
        place.backend->copy(turned.view(), transposed(from.tensor.view()));
        ASSERT_EQ(turned.values<double>()[33], from.at({0, 0, 1}));
        ASSERT_EQ(turned.values<double>().back(), from.values.back());
      }
    }
  }
}

TEST_P(Copy, HalvesAreRoundedToTheNearest) {
  const Place place = GetParam();
  const std::vector<double> x = {1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-11, 70000, 0x1p-25, -0.0};
  const Tensor from = Tensor::of(x, {6}, place);
  const Tensor bf16 = Tensor::empty({6}, place.with(DType::bf16));
  const Tensor f16 = Tensor::empty({6}, place.with(DType::f16));
  place.backend->copy(bf16.view(), from.view());
  place.backend->copy(f16.view(), from.view());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bf16.values(), (std::vector<double>{1, 1 + 0x1p-6, 1, 70144, 0x1p-25, 0}));
  EXPECT_EQ(f16.values(), (std::vector<double>{1 + 0x1p-8, 1 + 3 * 0x1p-8, 1, infinity, 0, 0}));
}

TEST_P(Copy, WhatIsForStoringIsNotComputedWith) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::u8}) {
    const Tensor x = Tensor::full({2, 2}, 3, GetParam().with(dtype));
    EXPECT_EQ(x.values(), std::vector<double>(4, 3));
    const View in[] = {x.view(), x.view()};
    Backend& backend = *GetParam().backend;
    if (backend.computes(dtype)) {
      continue;
    }
    EXPECT_THROW(backend.map(function<fn::Add>, x.view(), in, {}), Error);
    EXPECT_THROW(backend.matmul(x.view(), x.view(), x.view(), 1, 0), Error);
    EXPECT_THROW(backend.reduce(Reduction::sum, x.view(), x.view()), Error);
    EXPECT_THROW(Tensor(x).watch(), Error);
  }
}

TEST_P(Copy, CastsToWholeNumbersTowardsZeroWithinRange) {
  const Place place = GetParam();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::of(std::vector<double>{1.9, -1.9, 0, 3e9, -3e9, infinity, -infinity,
                                                  std::nan(""), 16777216, 0x1p31},
                              {10}, place);
  const Tensor y = Tensor::empty({10}, place.with(DType::i32));
  place.backend->copy(y.view(), x.view());
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(y.values<int32_t>(),
            (std::vector<int32_t>{1, -1, 0, most, least, most, least, 0, 16777216, most}));
  place.backend->copy(x.view(), y.view());
  EXPECT_EQ(x.values<double>()[1], -1);
}

TEST_P(Copy, RefusesOtherShapes) {
  const Place place = GetParam();
  EXPECT_THROW(
      place.backend->copy(Tensor::zeros({2, 3}, place).view(), Tensor::zeros({3, 2}, place).view()),
      Error);
}

TEST_P(Copy, FillsAnyLayout) {
  Dice dice(3);
  for (const DType dtype : {GetParam().dtype, DType::i32}) {
    const Place place = GetParam().with(dtype);
    for (int round = 0; round < 50; ++round) {
      const Shape shape = dice.shape(static_cast<int>(dice.below(4)), 20);
      const Laid to = laid(shape, place, dice, Spacing::strided, [] { return 1; });
      place.backend->fill(to.tensor.view(), -2.0);
      ASSERT_EQ(read(to), std::vector<double>(to.values.size(), -2.0));
    }
  }
}

TEST_P(Copy, UniformNumbersAreThePhiloxBits) {
  const Place place = GetParam();
  const RandomKey key{7, 11, 13};
  const Draws draws(key);
  Dice dice(4);
  for (int round = 0; round < 20; ++round) {
    const Shape shape = dice.shape(static_cast<int>(dice.below(4)), 37);
    const Laid to = laid_normal(shape, place, dice);
    place.backend->random(to.tensor.view(), Distribution::uniform, key);
    std::vector<double> expected;
    for (size_t e = 0; e < to.values.size(); ++e) {
      expected.push_back((std::floor(draws.bits(e) / 512.0) + 0.5) / 8388608.0);
    }
    ASSERT_EQ(read(to), expected) << heed::to_string(shape);
  }
}

TEST_P(Copy, RandomNumbersHaveTheirMoments) {
  const Place place = GetParam();
  constexpr int64_t n = 40001;
  const auto moments = [&](Distribution distribution) {
    double mean = 0;
    double square = 0;
    for (const double x : Tensor::random({n}, distribution, {1, 2, 3}, place).values<double>()) {
      mean += x / n;
      square += x * x / n;
    }
    return std::pair(mean, square - mean * mean);
  };
  const auto [uniform_mean, uniform_variance] = moments(Distribution::uniform);
  EXPECT_NEAR(uniform_mean, 0.5, 0.01);
  EXPECT_NEAR(uniform_variance, 1.0 / 12, 0.003);
  const auto [normal_mean, normal_variance] = moments(Distribution::normal);
  EXPECT_NEAR(normal_mean, 0, 0.03);
  EXPECT_NEAR(normal_variance, 1, 0.03);
  for (const double x : Tensor::random({n}, Distribution::uniform, {1, 2, 3}, place).values()) {
    ASSERT_TRUE(x > 0 && x < 1);
  }
}

TEST_P(Copy, KeysDrawDifferentNumbers) {
  const Place place = GetParam();
  std::set<double> seen;
  for (const RandomKey key : {RandomKey{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}}) {
    seen.insert(Tensor::random({1}, Distribution::uniform, key, place).item());
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(CopyAcross, EveryBackendDrawsTheSameNumbers) {
  const Place reference{&forced("reference"), DType::f64};
  for (const Distribution distribution : {Distribution::uniform, Distribution::normal}) {
    const auto expected = Tensor::random({3, 101}, distribution, {5, 6, 7}, reference).values();
    for (const Place& place : places()) {
      EXPECT_EQ(Tensor::random({3, 101}, distribution, {5, 6, 7}, place).values(), expected)
          << to_string(place);
    }
  }
}

}  // namespace
}  // namespace heed::test::copy_test
