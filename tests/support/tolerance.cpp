#include "tests/support/tolerance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace heed::test {
namespace {

struct Row {
  int64_t length;  // up to this many terms
  double f32;
  double f64;
  double bf16;
};

// About eight roundings for one term (a formula such as gelu has that many); thereafter a few times
// √length roundings, since errors of either sign partly cancel. bf16: operands are rounded once, by
// 2⁻⁹ at most, and sums stay f32.
constexpr Row table[] = {
    {1, 1.5e-6, 5e-15, 8e-3},     {16, 4e-6, 1e-14, 1e-2},      {64, 8e-6, 3e-14, 1.2e-2},
    {256, 1.6e-5, 6e-14, 1.6e-2}, {1024, 3.2e-5, 1e-13, 2e-2},  {4096, 6.4e-5, 2.5e-13, 2.4e-2},
    {16384, 1.3e-4, 5e-13, 3e-2}, {65536, 2.6e-4, 1e-12, 4e-2}, {INT64_MAX, 1e-3, 4e-12, 5e-2},
};

const Row& row_for(int64_t length) {
  return *std::find_if(std::begin(table), std::end(table),
                       [&](const Row& each) { return length <= each.length; });
}

bool is_close(double actual, double expected, Tolerance within) {
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) && std::isnan(expected);
  }
  if (std::isinf(actual) || std::isinf(expected)) {
    return actual == expected;
  }
  return std::abs(actual - expected) <= within.absolute + within.relative * std::abs(expected);
}

/// By how much of its tolerance an element is off; not a number or infinite: entirely.
double excess(double actual, double expected, Tolerance within) {
  if (!std::isfinite(actual) || !std::isfinite(expected)) {
    return INFINITY;
  }
  const double room = within.absolute + within.relative * std::abs(expected);
  return room > 0 ? std::abs(actual - expected) / room : INFINITY;
}

DType coarser(DType a, DType b) {
  if (a == DType::f32 || b == DType::f32) {
    return DType::f32;
  }
  return a == DType::f64 || b == DType::f64 ? DType::f64 : DType::i32;
}

::testing::AssertionResult same_shape(const Tensor& actual, const Tensor& expected) {
  if (actual.shape() == expected.shape()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "shape " << heed::to_string(actual.shape())
                                       << ", expected " << heed::to_string(expected.shape());
}

}  // namespace

Tolerance tolerance(DType dtype, int64_t length) {
  if (dtype == DType::i32) {
    return {};
  }
  const double within = dtype == DType::f32 ? row_for(length).f32 : row_for(length).f64;
  return {within, within};
}

Tolerance bf16_tolerance(int64_t length) {
  const double within = row_for(length).bf16;
  return {within, within};
}

::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, int64_t length) {
  return close(actual, expected, tolerance(coarser(actual.dtype(), expected.dtype()), length));
}

::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, Tolerance within) {
  if (auto same = same_shape(actual, expected); !same) {
    return same;
  }
  auto result = close(actual.values<double>(), expected.values<double>(), within);
  return result ? result : result << ", shape " << heed::to_string(actual.shape());
}

::testing::AssertionResult close(const Tensor& actual, const std::vector<double>& expected,
                                 int64_t length) {
  return close(actual.values<double>(), expected, tolerance(actual.dtype(), length));
}

::testing::AssertionResult close(std::span<const double> actual, std::span<const double> expected,
                                 Tolerance within) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " elements, expected " << expected.size();
  }
  size_t wrong = 0;
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (is_close(actual[i], expected[i], within)) {
      continue;
    }
    ++wrong;
    if (const double by = excess(actual[i], expected[i], within); by > most) {
      most = by;
      worst = i;
    }
  }
  if (wrong == 0) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << fmt::format(
             "{} of {} elements differ; the worst, element {}: {:.9g}, expected {:.9g} (off by "
             "{:.3g}, {:.3g} times its tolerance of {:.2g} + {:.2g} relative)",
             wrong, actual.size(), worst, actual[worst], expected[worst],
             std::abs(actual[worst] - expected[worst]), most, within.absolute, within.relative);
}

::testing::AssertionResult same_bits(const Tensor& actual, const Tensor& expected) {
  if (auto same = same_shape(actual, expected); !same) {
    return same;
  }
  const auto a = actual.values<double>();
  const auto b = expected.values<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<uint64_t>(a[i]) != std::bit_cast<uint64_t>(b[i]) &&
        !(std::isnan(a[i]) && std::isnan(b[i]))) {
      return ::testing::AssertionFailure()
             << fmt::format("element {}: {:.17g}, expected the bits of {:.17g}", i, a[i], b[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace heed::test
