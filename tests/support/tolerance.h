// The one tolerance table: element type or precision × accumulation length, and comparison by it.
//
//   EXPECT_TRUE(close(sum(x, {1}), expected, x.size(1)));
//
// An element passes where |actual − expected| ≤ absolute + relative · |expected|; NaN equals NaN
// and an infinity only itself.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::test {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// `length`: how many terms an element sums up, directly or through the steps before it. Values of
/// about 1 are assumed; for others scale `absolute` (see `scaled`).
Tolerance tolerance(DType dtype, int64_t length = 1);

/// Where products round their operands to bf16.
Tolerance bf16_tolerance(int64_t length = 1);

/// For terms of magnitude `size` in place of 1.
inline Tolerance scaled(Tolerance tolerance, double size) {
  return {tolerance.relative, tolerance.absolute * size};
}

/// Same shape, and every element close; the coarser of the two element types decides.
::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, int64_t length = 1);
::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, Tolerance within);
/// Against row-major values.
::testing::AssertionResult close(const Tensor& actual, const std::vector<double>& expected,
                                 int64_t length = 1);
::testing::AssertionResult close(std::span<const double> actual, std::span<const double> expected,
                                 Tolerance within);
/// Same shape, and every element the same bits (NaN equals NaN).
::testing::AssertionResult same_bits(const Tensor& actual, const Tensor& expected);

}  // namespace heed::test
