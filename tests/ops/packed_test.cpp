// Weights with a precision: what linear and recurrent layers then compute, on every backend.
#include "heed/ops/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/reduce.h"
#include "heed/ops/weight.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::packed_test {
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
  /// Then bf16 is no type for storing only.
  static bool computes_in_bf16() { return GetParam().with(DType::bf16).has_gradients(); }
  static Dice& dice_of(uint64_t place) {
    static Dice dice(0);
    dice = Dice(static_cast<uint32_t>(place));
    return dice;
  }
  static Tolerance within(int64_t length) {
    return scaled(tolerance(DType::f32, length), std::sqrt(static_cast<double>(length)));
  }
};

Weight in_precision(const Tensor& master, Precision precision) {
  Weight weight(master);
  weight.set_precision(precision);
  return weight;
}

Weight serving(const Tensor& master, Precision precision) {
  Weight weight(master);
  weight.serve(precision);
  return weight;
}

TEST_P(Precisions, Bf16RoundsBothOperandsForwardAndBack) {
  constexpr int64_t m = 7;
  constexpr int64_t n = 13;
  constexpr int64_t k = 37;
  Tensor x = normal({m, k}, 1);
  Tensor weight = normal({n, k}, 2);
  Tensor bias = normal({n}, 3);
  const Tensor dy = normal({m, n}, 4);
  x.watch();
  weight.watch();
  bias.watch();
  const Tensor y = linear(x, in_precision(weight, Precision::bf16), bias);
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
  const Tensor served = linear(x, serving(weight, Precision::int8));
  EXPECT_FALSE(close(served, exact, 53));
  // An element of x and of w is off by half a step at most, a step being 1/127 of the row's
  // largest.
  EXPECT_TRUE(close(served, exact, Tolerance{0.02, 0.02 * std::sqrt(53.0)}));
  const Tensor composed =
      matmul(rounded_to_int8(x), rounded_to_int8(weight), {.transpose_b = true});
  EXPECT_TRUE(close(served.values(), composed.values(), within(53)));
  EXPECT_TRUE(same_bits(linear(x, in_precision(weight, Precision::int8)), served));
  weight.watch();
  const Tensor recorded = linear(x, in_precision(weight, Precision::int8));
  EXPECT_TRUE(close(recorded.values(), exact.values(), within(53)));
}

TEST_P(Precisions, PackedF32IsF32) {
  const Tensor weight = normal({19, 53}, 5);
  const Tensor x = normal({5, 53}, 6);
  const Tensor exact = linear(x, weight);
  EXPECT_TRUE(
      close(linear(x, serving(weight, Precision::f32)).values(), exact.values(), within(53)));
}

TEST_P(Precisions, AWeightWrittenAnewIsMultipliedAnew) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    const Tensor master = Tensor::full({3, 4}, 1, GetParam());
    const Weight weight = in_precision(master, precision);
    const Tensor x = Tensor::full({2, 4}, 1, GetParam());
    EXPECT_TRUE(close(linear(x, weight), Values(6, 4)));
    master.backend().fill(master.view(), 2);
    EXPECT_TRUE(close(linear(x, weight), Values(6, 8)));
  }
}

TEST_P(Precisions, AWeightThatServesLetsItsMasterGo) {
  const Tensor x = normal({5, 53}, 6);
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    Weight weight(normal({19, 53}, 5));
    const Tensor before = linear(x, in_precision(weight.master(), precision));
    const Weight copy = weight;
    weight.serve(precision);
    EXPECT_TRUE(copy.serves());
    EXPECT_FALSE(copy.has_master());
    EXPECT_EQ(copy.shape(), (Shape{19, 53}));
    EXPECT_TRUE(close(linear(x, copy).values(), before.values(), within(53)));
    EXPECT_THAT([&] { copy.master(); }, ThrowsMessage<Error>(HasSubstr("load the model anew")));
    EXPECT_THROW(weight.serve(Precision::f32), Error);
  }
}

TEST_P(Precisions, ATableThatIsLookedUpStays) {
  const Tensor rows = normal({19, 53}, 5);
  Weight table(rows, Weight::Use::looked_up_too);
  table.serve(Precision::int8);
  EXPECT_TRUE(same_bits(table.master(), rows));
  const Tensor x = normal({5, 53}, 6);
  EXPECT_TRUE(same_bits(linear(x, table), linear(x, serving(rows, Precision::int8))));
}

TEST_P(Precisions, HalvesAreWidenedForProducts) {
  const Tensor x = cast(normal({5, 53}, 6), computes_in_bf16() ? DType::f16 : DType::bf16);
  const Tensor w = cast(normal({19, 53}, 5), DType::f16);
  const Tensor wide = widened(x);
  const Tensor exact = matmul(wide, widened(w), {.transpose_b = true});
  EXPECT_EQ(wide.dtype(), DType::f32);
  EXPECT_EQ(wide.values(), x.values());
  EXPECT_TRUE(same_bits(matmul(x, w, {.transpose_b = true}), exact));
  EXPECT_TRUE(close(linear(x, w).values(), exact.values(), within(53)));
  EXPECT_TRUE(close(linear(x, serving(w, Precision::f32)).values(), exact.values(), within(53)));
}

/// f in the product's kernel and as an op behind it.
TEST_P(Precisions, ProductsFinishWithTheActivation) {
  Tensor x = normal({5, 53}, 6);
  Tensor bias = normal({19}, 7);
  const Weight weight = serving(normal({19, 53}, 5), Precision::f32);
  const std::pair<AfterProduct, Tensor (*)(const Tensor&)> all[] = {
      {AfterProduct::relu, relu},
      {AfterProduct::gelu, gelu},
      {AfterProduct::silu, silu},
      {AfterProduct::tanh, tanh},
      {AfterProduct::sigmoid, sigmoid},
      {AfterProduct::relu6, [](const Tensor& z) { return clamp(z, 0, 6); }}};
  for (const auto& [after, f] : all) {
    const Tensor expected = f(linear(x, weight, bias));
    EXPECT_TRUE(close(linear(x, weight, bias, {.after = after}), expected, 8));
    bias.watch();
    const Tensor recorded = linear(x, weight, bias, {.after = after});
    EXPECT_TRUE(recorded.needs_gradient());
    EXPECT_TRUE(close(recorded, expected, 8));
    bias = bias.detached();
  }
}

TEST_P(Precisions, RecurrentLayersServeThePackedWeight) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    const Tensor weight = normal({4 * 11, 11}, 7);
    RecurrentInput input;
    input.projected = normal({3, 5, 4 * 11}, 8);
    input.weight = weight;
    const Values exact = lstm(input).outputs.values();
    input.weight = serving(weight, precision);
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
    weight.watch();
    RecurrentInput input;
    input.projected = normal({3, 5, 3 * 11}, 10);
    input.weight = in_precision(weight, precision);
    sum(gru(input).outputs).backward();
    return weight.gradient().values();
  };
  const Values exact = gradient(Precision::f32);
  const Values coarse = gradient(Precision::bf16);
  EXPECT_FALSE(close(coarse, exact, tolerance(DType::f32, 64)));
  EXPECT_TRUE(close(coarse, exact, Tolerance{0.05, 0.1}));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Precisions, ::testing::ValuesIn(places()), name_of_place);

TEST(PrecisionNames, AreThoseOfRecipes) {
  EXPECT_EQ(precision_named("f32"), Precision::f32);
  EXPECT_EQ(precision_named("bf16"), Precision::bf16);
  EXPECT_EQ(precision_named("int8"), Precision::int8);
  try {
    precision_named("int4");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_STREQ(error.what(),
                 "precision: unknown \"int4\"; choose one of f32, bf16, int8; did you mean "
                 "\"int8\"?");
  }
}

}  // namespace
}  // namespace heed::test::packed_test
