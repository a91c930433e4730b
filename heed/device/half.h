// Numbers of two bytes, for storing; computing is done in f32.
//
//   bf16   1 sign, 8 exponent, 7 significand bits: the upper half of an f32
//   f16    1 sign, 5 exponent, 10 significand bits (IEEE 754 binary16)
//
// Conversions round once, to the nearest, ties to even. NaN stays NaN, and numbers that are too
// large become infinite.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace heed {

/// x in f32, rounded to odd: a significand that is not exact ends in a set bit. Rounding the result
/// again to fewer bits then gives the same as rounding x once.
constexpr float rounded_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool is_finite = (bits & 0x7F800000) != 0x7F800000;
  if (!is_finite || static_cast<double>(nearest) == x || (bits & 1) != 0) {
    return nearest;
  }
  const double size = x < 0 ? -x : x;
  const bool is_below = static_cast<double>(nearest < 0 ? -nearest : nearest) < size;
  return std::bit_cast<float>(is_below ? bits + 1 : bits - 1);
}

constexpr uint16_t bf16_bits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<uint16_t>((is_nan ? bits | 0x00400000 : rounded) >> 16);
}

constexpr uint16_t f16_bits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t size = bits & 0x7FFFFFFF;
  if (size > 0x7F800000) {  // NaN: the upper bits of its payload, made quiet
    return static_cast<uint16_t>(sign | 0x7E00 | (size >> 13 & 0x3FF));
  }
  if (size >= 0x47800000) {  // 2¹⁶ and more
    return static_cast<uint16_t>(sign | 0x7C00);
  }
  if (size >= 0x38800000) {  // 2⁻¹⁴ and more: a carry of the rounding goes into the exponent
    const uint32_t rounded = size + 0xFFF + (size >> 13 & 1);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
  }
  if (size <= 0x33000000) {  // half of the least number and less
    return sign;
  }
  // Whole multiples of 2⁻²⁴.
  const uint32_t significand = (size & 0x7FFFFF) | 0x800000;
  const uint32_t shift = 126 - (size >> 23);
  const uint32_t whole = significand >> shift;
  const uint32_t rest = significand & ((1U << shift) - 1);
  const uint32_t half = 1U << (shift - 1);
  const bool rises = rest > half || (rest == half && (whole & 1) != 0);
  return static_cast<uint16_t>(sign | (whole + (rises ? 1 : 0)));
}

constexpr float float_of_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

constexpr float float_of_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1F;
  const uint32_t significand = bits & 0x3FF;
  if (exponent == 0) {
    const float size = static_cast<float>(significand) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(size));
  }
  const uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | significand << 13);
}

/// Either type: Bits converts from a float, Value to a float.
template <uint16_t (*Bits)(float), float (*Value)(uint16_t)>
struct HalfNumber {
  uint16_t bits = 0;

  constexpr HalfNumber() = default;
  constexpr explicit HalfNumber(float x) : bits(Bits(x)) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr explicit HalfNumber(T x) : bits(Bits(rounded_to_odd(static_cast<double>(x)))) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr explicit operator T() const { return static_cast<T>(Value(bits)); }
};

using Bf16 = HalfNumber<bf16_bits, float_of_bf16>;
using F16 = HalfNumber<f16_bits, float_of_f16>;

}  // namespace heed
