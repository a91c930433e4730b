// Weights with a precision: what linear and recurrent layers then compute, on every backend.
#include "heed/ops/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/ops/matmul.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/reduce.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

double to_bf16(double x) {
  int exponent = 0;
  const double digits = std::frexp(x, &exponent);
  return x == 0 ? x : std::ldexp(std::nearbyint(digits * 256), exponent - 8);
}

Values rounded(Values x) {
  for (double& each : x) {
    each = to_bf16(each);
  }
  return x;
}

/// a [m, k] b [k, n] by three loops.
Values product(const Values& a, const Values& b, int64_t m, int64_t n, int64_t k) {
  Values out(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) {
        out[static_cast<size_t>(i * n + j)] +=
            a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
      }
    }
  }
  return out;
}

Values turned(const Values& a, int64_t rows, int64_t columns) {
  Values out(a.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out[static_cast<size_t>(j * rows + i)] = a[static_cast<size_t>(i * columns + j)];
    }
  }
  return out;
}

class Precisions : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor normal(const Shape& shape, uint64_t place) {  // the same values everywhere
    return Tensor::of(laid_normal(shape, {&forced("reference"), DType::f32}, dice_of(place)).values,
                      shape, GetParam());
  }
  static Dice& dice_of(uint64_t place) {
    static Dice dice(0);
    dice = Dice(static_cast<uint32_t>(place));
    return dice;
  }
  static Tolerance within(int64_t length) {
    return scaled(tolerance(DType::f32, length), std::sqrt(static_cast<double>(length)));
  }
};

TEST_P(Precisions, Bf16RoundsBothOperandsForwardAndBack) {
  constexpr int64_t m = 7;
  constexpr int64_t n = 13;
  constexpr int64_t k = 37;
  Tensor x = normal({m, k}, 1);
  Tensor weight = normal({n, k}, 2);
  Tensor bias = normal({n}, 3);
  const Tensor dy = normal({m, n}, 4);
  set_precision(weight, Precision::bf16);
  EXPECT_EQ(precision_of(weight), Precision::bf16);
  x.watch();
  weight.watch();
  bias.watch();
  const Tensor y = linear(x, weight, bias);
  y.backward(dy);
  const Values xs = rounded(x.values());
  const Values ws = rounded(weight.values());
  const Values dys = rounded(dy.values());
  Values expected = product(xs, turned(ws, n, k), m, n, k);
  const Values b = bias.values();
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] += b[i % static_cast<size_t>(n)];
  }
  EXPECT_TRUE(close(y.values(), expected, within(k)));
  EXPECT_TRUE(close(x.gradient().values(), product(dys, ws, m, k, n), within(n)));
  EXPECT_TRUE(
      close(weight.gradient().values(), product(turned(dys, m, n), xs, n, k, m), within(m)));
  EXPECT_TRUE(close(bias.gradient(), sum(dy, {0}), m));  // not rounded
}

TEST_P(Precisions, Int8IsForServingOnly) {
  Tensor weight = normal({19, 53}, 5);
  const Tensor x = normal({5, 53}, 6);
  const Tensor exact = linear(x, weight);
  set_precision(weight, Precision::int8);
  const Tensor served = linear(x, weight);
  EXPECT_FALSE(close(served, exact, 53));
  // An element of x and of w is off by half a step at most, a step being 1/127 of the row's
  // largest.
  EXPECT_TRUE(close(served, exact, Tolerance{0.02, 0.02 * std::sqrt(53.0)}));
  const Tensor composed =
      matmul(rounded_to_int8(x), rounded_to_int8(weight), {.transpose_b = true});
  EXPECT_TRUE(close(served.values(), composed.values(), within(53)));
  weight.watch();
  EXPECT_TRUE(close(linear(x, weight).values(), exact.values(), within(53)));
}

TEST_P(Precisions, PackedF32IsF32) {
  const Tensor weight = normal({19, 53}, 5);
  const Tensor x = normal({5, 53}, 6);
  const Tensor exact = linear(x, weight);
  set_precision(weight, Precision::f32);
  EXPECT_TRUE(close(linear(x, weight).values(), exact.values(), within(53)));
}

TEST_P(Precisions, AWeightWrittenAnewIsPackedAnew) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    const Tensor weight = Tensor::full({3, 4}, 1, GetParam());
    const Tensor x = Tensor::full({2, 4}, 1, GetParam());
    set_precision(weight, precision);
    EXPECT_TRUE(close(linear(x, weight), Values(6, 4)));
    weight.backend().fill(weight.view(), 2);
    weight.touch();
    EXPECT_TRUE(close(linear(x, weight), Values(6, 8)));
  }
}

TEST_P(Precisions, RecurrentLayersServeThePackedWeight) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    const Tensor weight = normal({4 * 11, 11}, 7);
    RecurrentInput input;
    input.projected = normal({3, 5, 4 * 11}, 8);
    input.weight = weight;
    const Values exact = lstm(input).outputs.values();
    set_precision(weight, precision);
    const Values served = lstm(input).outputs.values();
    if (precision == Precision::f32) {
      EXPECT_TRUE(close(served, exact, tolerance(DType::f32, 64)));
    } else {
      EXPECT_FALSE(close(served, exact, tolerance(DType::f32, 64)));
      EXPECT_TRUE(close(served, exact, Tolerance{0.05, 0.05}));
    }
  }
}

TEST_P(Precisions, Bf16TrainsRecurrentLayers) {
  const auto gradient = [](Precision precision) {
    Tensor weight = normal({3 * 11, 11}, 9);
    set_precision(weight, precision);
    weight.watch();
    RecurrentInput input;
    input.projected = normal({3, 5, 3 * 11}, 10);
    input.weight = weight;
    sum(gru(input).outputs).backward();
    return weight.gradient().values();
  };
  const Values exact = gradient(Precision::f32);
  const Values coarse = gradient(Precision::bf16);
  EXPECT_FALSE(close(coarse, exact, tolerance(DType::f32, 64)));
  EXPECT_TRUE(close(coarse, exact, Tolerance{0.05, 0.1}));
}

TEST_P(Precisions, PartsOfAWeightAreMultipliedAsTheyLie) {
  const Tensor weight = normal({6, 4}, 11);
  set_precision(weight, Precision::int8);
  const Tensor part = weight.seen_as(sliced(weight.view(), 0, 2, 3));
  EXPECT_EQ(precision_of(part), Precision::f32);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Precisions, ::testing::ValuesIn(places()), name_of_place);

TEST(PrecisionNames, AreThoseOfRecipes) {
  EXPECT_EQ(precision_named("f32"), Precision::f32);
  EXPECT_EQ(precision_named("bf16"), Precision::bf16);
  EXPECT_EQ(precision_named("int8"), Precision::int8);
  EXPECT_THAT([] { precision_named("fp8"); }, ThrowsMessage<Error>(HasSubstr("fp8")));
}

}  // namespace
}  // namespace heed::test
