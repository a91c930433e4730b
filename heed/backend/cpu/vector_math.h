// Elementary functions of floats without branches or calls, so that loops over them vectorise.
//
//   eˣ      = 2ⁿ eʳ,  n = round(x / ln 2),  |r| ≤ ½ ln 2,  eʳ ≈ 1 + r + r² q(r)
//   tanh x  = ± E / (E + 2),  E = e^(2|x|) − 1 without cancellation
//   σ(x)    = 1 / (1 + e⁻ˣ) for x ≥ 0,  eˣ / (1 + eˣ) for x < 0
//   ln x    = n ln 2 + ln(1 + f),  1 + f in [√½, √2),  ln(1 + f) ≈ f − f²/2 + f³ q(f)
//   erf x   = x P(x²) for |x| < 0.9,  ± (1 − e^(−G(|x|))) beyond, G ≈ −ln erfc
//
// The polynomials are weighted minimax fits (Lawson's iteration) made for this file. NaN stays NaN,
// results saturate where the exact ones do. Errors are held by tests/backend/cpu/vector_math_test.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace heed::cpu {

/// c₀ + c₁ x + c₂ x² + …
template <class... Rest>
inline float polynomial(float x, float c, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return c;
  } else {
    return c + x * polynomial(x, rest...);
  }
}

/// condition ? yes : no, by bits. Written as a choice, GCC 12 moves the computation that follows
/// into the branches and compares by "not below", which takes five instructions where this takes
/// two.
inline float choose(bool condition, float yes, float no) {
  const int32_t mask = -static_cast<int32_t>(condition);
  const auto a = std::bit_cast<int32_t>(yes);
  const auto b = std::bit_cast<int32_t>(no);
  return std::bit_cast<float>(b ^ ((a ^ b) & mask));
}

/// x = n ln 2 + r: what exp and expm1 share. Where x is no number, so is r, and n is anything.
struct Reduced {
  float r;
  int32_t n;
};

inline Reduced reduce(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693359375F;  // few digits: times n it is exact
  constexpr float ln2_low = -2.12194440e-4F;
  // Adding 1.5·2²³ rounds to a whole number and leaves it in the lowest bits.
  constexpr float magic = 12582912.0F;
  const float shifted = x * log2_e + magic;
  const float n = shifted - magic;
  return {(x - n * ln2_high) - n * ln2_low,
          std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(magic)};
}

/// eʳ − 1 for |r| ≤ ½ ln 2.
inline float small_expm1(float r) {
  return r +
         r * r *
             polynomial(r, 0.49999994F, 0.166665211F, 0.041668389F, 0.00836871006F, 0.00138146128F);
}

/// 2ⁿ for −127 < n < 128; wrong, but without a fault, outside.
inline float power_of_two(int32_t n) {
  return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23);
}

struct VectorMath {
  static float exp(float x) {
    // Beyond these the result is 0 or infinite anyway.
    const float low = choose(x < -104.0F, -104.0F, x);
    const Reduced at = reduce(choose(low > 89.0F, 89.0F, low));
    // 2ⁿ in two halves: n itself may lie outside the exponents, and results may be subnormal.
    const int32_t half = at.n >> 1;
    return (1.0F + small_expm1(at.r)) * power_of_two(half) * power_of_two(at.n - half);
  }

  static float tanh(float x) {
    const float size = std::abs(x);
    const Reduced at = reduce(2.0F * choose(size > 9.5F, 9.5F, size));  // tanh 9.02 is 1 in float
    const float scale = power_of_two(at.n);
    const float e = scale * small_expm1(at.r) + (scale - 1.0F);
    return std::copysign(e / (e + 2.0F), x);
  }

  static float sigmoid(float x) {
    const float e = exp(-std::abs(x));
    return choose(x < 0, e, 1.0F) / (1.0F + e);
  }

  static float log(float x) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    // Subnormal numbers are lifted into the normal range first.
    const bool subnormal = x < std::numeric_limits<float>::min();
    const auto bits = std::bit_cast<int32_t>(choose(subnormal, x * 0x1p23F, x));
    // Counted from √½, so that 1 + f falls in [√½, √2).
    const int32_t from_root = bits - 0x3F3504F3;
    const int32_t n = from_root >> 23;
    const float f = std::bit_cast<float>(bits - (n << 23)) - 1.0F;
    const float exponent = static_cast<float>(n) - choose(subnormal, 23.0F, 0.0F);
    const float cubic = f * f * f *
                        polynomial(f, 0.333333313F, -0.250008196F, 0.200012267F, -0.166233569F,
                                   0.142017573F, -0.131601825F, 0.127615765F, -0.0763449669F);
    const float near = f + (cubic - 0.5F * f * f + exponent * -2.12194440e-4F);
    const float finite = exponent * 0.693359375F + near;
    const float positive = choose(x < infinity, finite, x);  // infinity and NaN stay
    const float defined = choose(x < 0, std::numeric_limits<float>::quiet_NaN(), positive);
    return choose(x == 0, -infinity, defined);
  }

  /// ln(1 + x), x ≥ 0: the rounding of 1 + x is put back.
  static float log1p(float x) {
    const float sum = 1.0F + x;
    const float lost = (x - (sum - 1.0F)) / sum;
    return log(sum) + choose(x < 1e30F, lost, 0.0F);
  }

  static float erf(float x) {
    const float size = std::abs(x);
    const float square = x * x;
    const float near = x * polynomial(square, 1.12837911F, -0.376125336F, 0.112822302F,
                                      -0.0267819576F, 0.00501622865F, -0.000611129391F);
    const float held = choose(size > 4.0F, 4.0F, size);  // erf 3.92 is 1 in float
    const float g = polynomial(held, 0.000177495953F, 1.12774956F, 0.637059748F, 0.104037352F,
                               -0.0222770832F, 0.00305560627F, -0.000197181595F);
    const float far = std::copysign(1.0F - exp(-g), x);
    return choose(size < 0.9F, near, far);
  }

  static float sqrt(float x) { return std::sqrt(x); }
  static float floor(float x) { return std::floor(x); }
  // Rare in a model; the C library's serve.
  static float sin(float x) { return std::sin(x); }
  static float cos(float x) { return std::cos(x); }
  static float pow(float x, float y) { return std::pow(x, y); }
};

}  // namespace heed::cpu
