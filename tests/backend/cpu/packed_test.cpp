// Products with packed weights, every kernel this CPU has forced in turn, against loops in double.
#include "heed/backend/cpu/gemm/packed.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "heed/base/thread_pool.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::packed_test {
namespace {

using cpu::TileKernel;

Place cpu_place() { return {&forced("cpu"), DType::f32}; }

struct Sizes {
  int64_t m, n, k;
};

std::string name_of(const TileKernel& kernel) {
  static const char* const precisions[] = {"f32", "bf16", "int8"};
  return fmt::format("{}_{}", precisions[static_cast<int>(kernel.precision)], kernel.name);
}

std::vector<const TileKernel*> available() {
  std::vector<const TileKernel*> all;
  for (const TileKernel* each : cpu::tile_kernels()) {
    if (each->is_available()) {
      all.push_back(each);
    }
  }
  return all;
}

Tensor packed(const TileKernel& kernel, const View& weight) {
  size_t bytes = 0;
  cpu::pack_for(kernel, {weight, kernel.precision, {}, &bytes});
  Tensor form = Tensor::empty({static_cast<int64_t>(bytes)}, cpu_place().with(DType::u8));
  cpu::pack_for(kernel, {weight, kernel.precision, form.view()});
  return form;
}

/// Eight bits of significand, to the nearest and ties to even, by the C library.
double to_bf16(double x) {
  int exponent = 0;
  const double digits = std::frexp(x, &exponent);
  return x == 0 ? x : std::ldexp(std::nearbyint(digits * 256), exponent - 8);
}

/// ⌊x · inverse + ½⌋, rounding once where the processor multiplies and adds at once, else twice.
int32_t quantised(float x, float inverse, bool rounds_twice) {
  const volatile float product = x * inverse;
  return static_cast<int32_t>(rounds_twice ? product + 128.5F : std::fma(x, inverse, 128.5F)) - 128;
}

/// The values that a row of k values has in a product.
std::vector<double> as_multiplied(Precision precision, std::vector<double> row,
                                  bool rounds_twice = false) {
  if (precision == Precision::bf16) {
    std::transform(row.begin(), row.end(), row.begin(), to_bf16);
  }
  if (precision == Precision::int8) {
    float most = 0;
    for (const double x : row) {
      most = std::max(most, std::abs(static_cast<float>(x)));
    }
    const float scale = most / 127.0F;
    const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
    for (double& x : row) {
      x = quantised(static_cast<float>(x), inverse, rounds_twice) * static_cast<double>(scale);
    }
  }
  return row;
}

/// Row i as it is multiplied; nothing if a value is so near the middle of two whole numbers that it
/// depends on rounding once or twice, where either result is right.
std::vector<double> row_of(const Laid& x, int64_t i, Precision precision) {
  const auto k = static_cast<std::ptrdiff_t>(x.shape[1]);
  const auto first = x.values.begin() + i * k;
  const auto row = as_multiplied(precision, {first, first + k});
  return row == as_multiplied(precision, {first, first + k}, true) ? row : std::vector<double>();
}

double after(AfterProduct f, double x) {
  switch (f) {
    case AfterProduct::relu:
      return std::max(x, 0.0);
    case AfterProduct::gelu:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case AfterProduct::silu:
      return x / (1 + std::exp(-x));
    case AfterProduct::tanh:
      return std::tanh(x);
    case AfterProduct::sigmoid:
      return 1 / (1 + std::exp(-x));
    case AfterProduct::relu6:
      return std::min(std::max(x, 0.0), 6.0);
    default:
      return x;
  }
}

constexpr AfterProduct all_after[] = {
    AfterProduct::nothing, AfterProduct::relu,    AfterProduct::gelu, AfterProduct::silu,
    AfterProduct::tanh,    AfterProduct::sigmoid, AfterProduct::relu6};

class PackedProducts : public ::testing::TestWithParam<const TileKernel*> {
 protected:
  void check(Sizes s, Dice& dice) const {
    const TileKernel& kernel = *GetParam();
    const auto layout = [&] { return dice.coin() ? Spacing::dense : Spacing::strided; };
    const Laid weight = laid_normal({s.n, s.k}, cpu_place(), dice, layout());
    const Laid x = laid_normal({s.m, s.k}, cpu_place(), dice, layout());
    const Laid bias = laid_normal({s.n}, cpu_place(), dice, Spacing::dense);
    const Laid out = laid_normal({s.m, s.n}, cpu_place(), dice, layout());
    const Tensor form = packed(kernel, weight.tensor.view());
    PackedProduct product{out.tensor.view(), x.tensor.view(), form.view()};
    product.scale = dice.coin() ? 1 : -0.5;
    product.bias = dice.coin() ? bias.tensor.view() : View{};
    product.after = all_after[dice.below(std::size(all_after))];
    product.adds = dice.below(3) == 0;
    SCOPED_TRACE(fmt::format("m {} n {} k {} scale {} bias {} after {} adds {}", s.m, s.n, s.k,
                             product.scale, product.bias.data != nullptr,
                             static_cast<int>(product.after), product.adds));
    std::vector<double> expected;
    std::vector<size_t> undecided;
    std::vector<std::vector<double>> w;
    for (int64_t j = 0; j < s.n; ++j) {
      w.push_back(row_of(weight, j, kernel.precision));
    }
    for (int64_t i = 0; i < s.m; ++i) {
      const auto row = row_of(x, i, kernel.precision);
      for (int64_t j = 0; j < s.n; ++j) {
        const auto& column = w[static_cast<size_t>(j)];
        if (s.k > 0 && (row.empty() || column.empty())) {
          undecided.push_back(expected.size());
        }
        double sum = 0;
        for (size_t k = 0; k < std::min(row.size(), column.size()); ++k) {
          sum += row[k] * column[k];
        }
        sum = product.scale * sum + (product.bias.data != nullptr ? bias.at({j}) : 0);
        expected.push_back(after(product.after, sum) + (product.adds ? out.at({i, j}) : 0));
      }
    }
    forced("cpu").run_fused(product);
    const std::vector<double> got = read(out);
    ASSERT_LE(undecided.size(), expected.size() / 10);
    for (const size_t at : undecided) {
      expected[at] = got[at];
    }
    ASSERT_TRUE(close(got, expected,
                      scaled(tolerance(DType::f32, s.k), std::sqrt(static_cast<double>(s.k)) + 1)));
  }
};

TEST_P(PackedProducts, EveryFewRows) {
  Dice dice(1);
  for (int64_t m = 1; m <= 34; ++m) {
    check({m, 1 + dice.below(40), 1 + dice.below(70)}, dice);
  }
}

TEST_P(PackedProducts, EveryFewColumnsAndTerms) {
  Dice dice(2);
  for (int64_t n = 1; n <= 34; ++n) {
    check({1 + dice.below(20), n, n}, dice);
  }
}

TEST_P(PackedProducts, OddSizes) {
  Dice dice(3);
  for (int round = 0; round < 40; ++round) {
    check({std::max<int64_t>(1, dice.length(70)), std::max<int64_t>(1, dice.length(140)),
           std::max<int64_t>(1, dice.length(300))},
          dice);
  }
  check({131, 257, 521}, dice);
  check({300, 67, 1031}, dice);
}

TEST_P(PackedProducts, NothingToMultiplyGivesTheBias) {
  const Tensor bias = Tensor::full({5}, 3, cpu_place());
  const Tensor out = Tensor::full({2, 5}, 7, cpu_place());
  const Tensor form = packed(*GetParam(), Tensor::zeros({5, 0}, cpu_place()).view());
  const Tensor x = Tensor::zeros({2, 0}, cpu_place());
  forced("cpu").run_fused(
      PackedProduct{.out = out.view(), .x = x.view(), .packed = form.view(), .bias = bias.view()});
  EXPECT_THAT(out.values(), ::testing::Each(3));
}

TEST_P(PackedProducts, ZerosAndWhatIsNoNumberStayInTheirRow) {
  const double no = std::nan("");
  const Tensor weight = Tensor::full({3, 2}, 1, cpu_place());
  const Tensor x = Tensor::of<double>({0, 0, 1, no, 2, 2}, {3, 2}, cpu_place());
  const Tensor out = Tensor::full({3, 3}, no, cpu_place());
  const Tensor form = packed(*GetParam(), weight.view());
  forced("cpu").run_fused(PackedProduct{out.view(), x.view(), form.view()});
  EXPECT_TRUE(close(out, {0, 0, 0, no, no, no, 4, 4, 4}, 2));
}

TEST_P(PackedProducts, SameBitsOnAnyThreads) {
  const int before = threads();
  for (const Sizes s : {Sizes{1, 3001, 300}, {16, 1500, 300}, {300, 290, 310}}) {
    const Tensor weight = Tensor::random({s.n, s.k}, Distribution::normal, {1, 0, 1}, cpu_place());
    const Tensor x = Tensor::random({s.m, s.k}, Distribution::normal, {1, 0, 2}, cpu_place());
    const auto make = [&] {
      Tensor out = Tensor::empty({s.m, s.n}, cpu_place());
      const Tensor form = packed(*GetParam(), weight.view());
      forced("cpu").run_fused(PackedProduct{out.view(), x.view(), form.view()});
      return out;
    };
    set_threads(1);
    const Tensor alone = make();
    for (const int count : {2, 3, 8}) {
      set_threads(count);
      EXPECT_TRUE(same_bits(make(), alone)) << count << " threads";
    }
  }
  set_threads(before);
}

/// Each row as it comes out when it is multiplied alone, and with those before it.
TEST_P(PackedProducts, ARowsBitsDoNotDependOnHowManyThereAre) {
  const int before = threads();
  constexpr int64_t most = 64;
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{96, 64}, {101, 67}, {7, 300}, {259, 33}}) {
    const Tensor weight = Tensor::random({n, k}, Distribution::normal, {1, 0, 1}, cpu_place());
    const Tensor x = Tensor::random({most, k}, Distribution::normal, {1, 0, 2}, cpu_place());
    const Tensor bias = Tensor::random({n}, Distribution::normal, {1, 0, 3}, cpu_place());
    const Tensor form = packed(*GetParam(), weight.view());
    for (const bool has_bias : {false, true}) {
      const auto rows = [&](int64_t first, int64_t count) {
        const Tensor out = Tensor::empty({count, n}, cpu_place());
        forced("cpu").run_fused(PackedProduct{.out = out.view(),
                                              .x = sliced(x.view(), 0, first, count),
                                              .packed = form.view(),
                                              .bias = has_bias ? bias.view() : View{}});
        return out.values<float>();
      };
      std::vector<float> alone;
      for (int64_t m = 0; m < most; ++m) {
        const std::vector<float> row = rows(m, 1);
        alone.insert(alone.end(), row.begin(), row.end());
      }
      for (int64_t m = 1; m <= most; ++m) {
        set_threads(1 + static_cast<int>(m % 2));
        const std::vector<float> together = rows(0, m);
        ASSERT_TRUE(std::equal(together.begin(), together.end(), alone.begin()))
            << m << " rows, n " << n << ", k " << k << (has_bias ? ", with a bias" : "");
      }
    }
  }
  set_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Every, PackedProducts, ::testing::ValuesIn(available()),
                         [](const auto& info) { return name_of(*info.param); });

TEST(PackedKernels, SaysWhichThisCpuHas) {
  for (const TileKernel* each : cpu::tile_kernels()) {
    std::cout << name_of(*each) << (each->is_available() ? ": tested\n" : ": not on this CPU\n");
  }
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    EXPECT_TRUE(cpu::tile_kernel(precision).is_available());
    EXPECT_EQ(cpu::tile_kernel(precision).precision, precision);
  }
}

TEST(PackedKernels, WholeNumbersAreTheSameWhateverTheKernel) {
  const Tensor weight = Tensor::random({77, 203}, Distribution::normal, {1, 0, 1}, cpu_place());
  const Tensor x = Tensor::random({19, 203}, Distribution::normal, {1, 0, 2}, cpu_place());
  std::vector<Tensor> results;
  for (const TileKernel* each : available()) {
    if (each->precision == Precision::int8) {
      const Tensor out = Tensor::empty({19, 77}, cpu_place());
      const Tensor form = packed(*each, weight.view());
      forced("cpu").run_fused(PackedProduct{out.view(), x.view(), form.view()});
      results.push_back(out);
    }
  }
  for (const Tensor& each : results) {
    EXPECT_TRUE(same_bits(each, results.front()));
  }
}

TEST(PackedKernels, RefuseWhatWasNotPackedAndWhatDoesNotFit) {
  Backend& backend = forced("cpu");
  const Tensor weight = Tensor::zeros({3, 2}, cpu_place());
  const Tensor form = packed(cpu::tile_kernel(Precision::f32), weight.view());
  const Tensor out = Tensor::zeros({4, 3}, cpu_place());
  const Tensor x = Tensor::zeros({4, 5}, cpu_place());
  EXPECT_THROW(backend.run_fused(PackedProduct{out.view(), x.view(), form.view()}), Error);
  const Tensor raw = Tensor::zeros(form.shape(), cpu_place().with(DType::u8));
  EXPECT_THROW(backend.run_fused(PackedProduct{out.view(), x.view(), raw.view()}), Error);
  const Tensor little = Tensor::zeros({1}, cpu_place().with(DType::u8));
  EXPECT_THROW(backend.run_fused(PackStep{weight.view(), Precision::f32, little.view()}), Error);
}

}  // namespace
}  // namespace heed::test::packed_test
