// Every value of bf16 and f16 against a conversion by digits: sign · significand · 2^exponent.
#include "heed/device/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/device/convert.h"

namespace heed::half_test {
namespace {

struct Format {
  int exponent_bits;
  int significand_bits;
};
constexpr Format bf16{8, 7};
constexpr Format f16{5, 10};

/// What the bits mean, worked out in double.
double value_of(uint16_t bits, const Format& format) {
  const int significand = bits & ((1 << format.significand_bits) - 1);
  const int highest = (1 << format.exponent_bits) - 1;
  const int exponent = bits >> format.significand_bits & highest;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == highest) {
    return significand == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  }
  const int bias = highest / 2;
  const int whole = exponent == 0 ? significand : significand + (1 << format.significand_bits);
  const int power = (exponent == 0 ? 1 : exponent) - bias - format.significand_bits;
  return sign * std::ldexp(whole, power);
}

template <class Half>
void expect_every_value(const Format& format) {
  for (uint32_t i = 0; i < 1 << 16; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    Half half;
    half.bits = bits;
    const double expected = value_of(bits, format);
    const auto got = static_cast<float>(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(got)))) << bits;
      EXPECT_EQ(Half(got).bits >> 15, bits >> 15);
      continue;
    }
    ASSERT_EQ(static_cast<double>(got), expected) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    ASSERT_EQ(Half(got).bits, bits);
    ASSERT_EQ(Half(expected).bits, bits);
  }
}

/// Between each two neighbours: nearer to one, nearer to the other, and in the middle, where the
/// even one is taken. Beyond the largest number the next step would be infinite.
template <class Half>
void expect_nearest(const Format& format) {
  const auto infinite =
      static_cast<uint16_t>(((1 << format.exponent_bits) - 1) << format.significand_bits);
  for (uint16_t low = 0; low < infinite; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const double below = value_of(low, format);
    const double step =
        high == infinite ? below - value_of(low - 1, format) : value_of(high, format) - below;
    const double middle = below + step / 2;
    const uint16_t even = (low & 1) == 0 ? low : high;
    const double little = step * 0x1p-30;  // too little for an f32: only rounding once sees it
    for (const double sign : {1.0, -1.0}) {
      const uint16_t minus = sign < 0 ? 0x8000 : 0;
      ASSERT_EQ(Half(sign * middle).bits, even | minus);
      ASSERT_EQ(Half(sign * (middle - little)).bits, low | minus);
      ASSERT_EQ(Half(sign * (middle + little)).bits, high | minus);
      const auto exact = static_cast<float>(sign * middle);
      if (std::isfinite(exact) && static_cast<double>(exact) == sign * middle) {
        const float toward = std::nextafter(exact, sign < 0 ? -INFINITY : INFINITY);
        ASSERT_EQ(Half(exact).bits, even | minus);
        ASSERT_EQ(Half(toward).bits, high | minus);
        ASSERT_EQ(Half(std::nextafter(exact, 0.0F)).bits, low | minus);
      }
    }
  }
}

TEST(Halves, EveryBf16IsWhatItsBitsSay) { expect_every_value<Bf16>(bf16); }
TEST(Halves, EveryF16IsWhatItsBitsSay) { expect_every_value<F16>(f16); }
TEST(Halves, Bf16IsTheNearestAndTiesGoToEven) { expect_nearest<Bf16>(bf16); }
TEST(Halves, F16IsTheNearestAndTiesGoToEven) { expect_nearest<F16>(f16); }

TEST(Halves, WhatIsTooLargeIsInfiniteAndWhatIsTooSmallIsZero) {
  EXPECT_EQ(F16(1e6F).bits, 0x7C00);
  EXPECT_EQ(F16(-1e6F).bits, 0xFC00);
  EXPECT_EQ(F16(1e-10F).bits, 0);
  EXPECT_EQ(F16(-1e-10F).bits, 0x8000);
  EXPECT_EQ(Bf16(1e39).bits, 0x7F80);
  EXPECT_EQ(Bf16(1e-50).bits, 0);
  EXPECT_EQ(F16(INFINITY).bits, 0x7C00);
}

TEST(Conversions, WholeNumbersAreLimitedAndNanIsZero) {
  EXPECT_EQ(converted<uint8_t>(-3.5F), 0);
  EXPECT_EQ(converted<uint8_t>(254.9F), 254);
  EXPECT_EQ(converted<uint8_t>(1e9), 255);
  EXPECT_EQ(converted<uint8_t>(std::nanf("")), 0);
  EXPECT_EQ(converted<uint8_t>(int32_t{-1}), 0);
  EXPECT_EQ(converted<uint8_t>(int32_t{256}), 255);
  EXPECT_EQ(converted<uint8_t>(Bf16(3.0F)), 3);
  EXPECT_EQ(converted<int32_t>(uint8_t{200}), 200);
  EXPECT_EQ(converted<int32_t>(F16(-2.5F)), -2);
  EXPECT_EQ(converted<int32_t>(3e9F), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(converted<int32_t>(-3e9), std::numeric_limits<int32_t>::min());
  // One above the middle of two neighbours, which an f32 does not see.
  EXPECT_EQ(static_cast<float>(converted<Bf16>(int32_t{16842753})), 16908288.0F);
}

}  // namespace
}  // namespace heed::half_test
