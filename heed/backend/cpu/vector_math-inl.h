// Elementary functions of vectors of floats, for every SIMD target: see simd-inl.h. d is Highway's
// tag of V.
//
//   eˣ        = 2ⁿ eʳ,  n = round(x / ln 2),  |r| ≤ ½ ln 2,  eʳ ≈ 1 + r + r² q(r)
//   2ˣ        = 2ⁿ 2ʳ,  n = round(x),  |r| ≤ ½
//   tanh x    ≈ x P(x²) / Q(x²), limited to ±1
//   σ(x)      = 1 / (1 + e⁻ˣ)
//   erf(x/√2) ≈ x P(x²) / Q(x²), limited to ±1
//   ln x      = n ln 2 + ln(1 + f),  1 + f in [√½, √2),  ln(1 + f) ≈ f − f²/2 + f³ q(f)
//
// The polynomials are minimax fits (Lawson's iteration) of the relative error, made for this file.
// NaN stays NaN, results saturate where the exact ones do, and exponentials below 2⁻¹²⁵ are 0. The
// largest errors in units of the last place (checked by tests/backend/cpu/vector_targets_test):
//
//   exp 1   tanh 5.5   sigmoid 2.5   silu 3   log 1   softplus 2   erf 5.5
//   gelu 3.5 for x ≥ −½, below an absolute error of 1e-6
#if defined(HEED_BACKEND_CPU_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_VECTOR_MATH_INL_H
#undef HEED_BACKEND_CPU_VECTOR_MATH_INL_H
#else
#define HEED_BACKEND_CPU_VECTOR_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The larger of x and low, and the smaller of x and high. NaN stays NaN, which Highway's Max and
/// Min do not promise.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, float low, V x) {
#if HWY_TARGET == HWY_NEON
  if constexpr (hn::MaxLanes(D()) == 4) {
    return V(vmaxq_f32(hn::Set(d, low).raw, x.raw));
  }
#elif HWY_TARGET <= HWY_SSSE3  // x86 returns the second operand if one is NaN
  return hn::Max(hn::Set(d, low), x);
#endif
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, low)), hn::Set(d, low), x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, float high, V x) {
#if HWY_TARGET == HWY_NEON
  if constexpr (hn::MaxLanes(D()) == 4) {
    return V(vminq_f32(hn::Set(d, high).raw, x.raw));
  }
#elif HWY_TARGET <= HWY_SSSE3
  return hn::Min(hn::Set(d, high), x);
#endif
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, high)), hn::Set(d, high), x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V hold(D d, V x, float low, float high) {
  return at_most(d, high, at_least(d, low, x));
}

/// c₀ + c₁ x + c₂ x² + …, x2 = x²: pairs first, then Horner's rule in x².
template <class D, class V, class... Rest>
HWY_INLINE V polynomial(D d, V x, V x2, float c, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return hn::Set(d, c);
  } else {
    return [&]<class... More>(float c1, More... more) HWY_ATTR {
      const V pair = hn::MulAdd(hn::Set(d, c1), x, hn::Set(d, c));
      if constexpr (sizeof...(more) == 0) {
        return pair;
      } else {
        return hn::MulAdd(polynomial(d, x, x2, more...), x2, pair);
      }
    }(rest...);
  }
}

/// 2^(n + Bias) eʳ with eʳ = 1 + p and x = n ln 2 + r. |n + Bias| < 127, or n + Bias = −127, which
/// gives 0.
template <int Bias, class D, class V = hn::Vec<D>>
HWY_INLINE V scaled_exp(D d, V x) {
  const hn::RebindToUnsigned<D> bits;
  // Adding 1.5·2²³ rounds to a whole number and puts it into the lowest bits, as an exponent.
  const V magic = hn::Set(d, 12582912.0F + 127 + Bias);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504F), magic);
  const V n = hn::Sub(shifted, magic);
  const V scale = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, shifted)));
  // ln 2 in two parts; the first has so few digits that its product with n is exact.
  const V near = hn::NegMulAdd(n, hn::Set(d, 0.693359375F), x);
  const V r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4F), near);
  const V r2 = hn::Mul(r, r);
  const V q =
      polynomial(d, r, r2, 0.49999994F, 0.166665211F, 0.041668389F, 0.00836871006F, 0.00138146128F);
  return hn::MulAdd(scale, hn::MulAdd(q, r2, r), scale);
}

/// eˣ for x ≤ 88.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_to_88(D d, V x) {
  return scaled_exp<0>(d, at_least(d, -127 * 0.693147182F, x));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  // Computed as half + half, because the exponent of the largest results is too large for a factor.
  const V half = scaled_exp<-1>(d, hold(d, x, -126 * 0.693147182F, 89.0F));
  return hn::Add(half, half);
}

/// 2ˣ for x ≤ 127, 0 from −127 down, relative error below 2e-7. Attention takes its weights by it: it
/// is a third cheaper than exp, and the factor log₂ e joins the scale of the scores.
///   x = n + r, |r| ≤ ½, 2ʳ by a minimax polynomial that is 1 at 0, so that 2⁻¹²⁷ comes out as 0
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_to_127(D d, V x) {
  const hn::RebindToSigned<D> whole;
  const V magic = hn::Set(d, 12582912.0F);  // 1.5·2²³: adding it rounds to a whole number
  const V held = at_least(d, -127.0F, x);
  const V shifted = hn::Add(held, magic);
  const V r = hn::Sub(held, hn::Sub(shifted, magic));
  V p = hn::MulAdd(r, hn::Set(d, 0.0013264646F), hn::Set(d, 0.009671576F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.055507347F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.24022241F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.693147F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(whole, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(whole, p), exponent));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, exp(d, hn::Neg(x))));
}

/// x σ(x)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  return hn::Div(x, hn::Add(hn::Set(d, 1.0F), exp(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  x = hold(d, x, -9.4F, 9.4F);  // at the bounds the quotient is a little above 1
  const V t = hn::Mul(x, x);
  const V t2 = hn::Mul(t, t);
  const V p =
      polynomial(d, t, t2, 1.0F, 0.133797124F, 0.00349402893F, 2.0583353e-05F, 1.33189939e-08F);
  const V q =
      polynomial(d, t, t2, 1.0F, 0.467130274F, 0.0258710496F, 0.000328308292F, 7.76194099e-07F);
  return hold(d, hn::Div(hn::Mul(x, p), q), -1.0F, 1.0F);
}

/// erf(x / √2) = 2 Φ(x) − 1
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_within(D d, V x) {
  x = hold(d, x, -5.75F, 5.75F);  // at the bounds the quotient is a little above 1
  const V t = hn::Mul(x, x);
  const V t2 = hn::Mul(t, t);
  const V p = polynomial(d, t, t2, 0.797884524F, 0.0678578541F, 0.0093546873F, 0.000337856152F,
                         1.25795023e-05F, 4.45949269e-08F);
  const V q = polynomial(d, t, t2, 1.0F, 0.251713514F, 0.0286775026F, 0.00188548455F,
                         7.33437555e-05F, 1.17965476e-06F);
  return hold(d, hn::Div(hn::Mul(x, p), q), -1.0F, 1.0F);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf(D d, V x) {
  return normal_within(d, hn::Mul(x, hn::Set(d, 1.41421356F)));
}

/// x Φ(x) = ½x + ½x erf(x/√2). Here the error of erf is relative to ½x, not to erf itself, so a fit
/// of one degree less is enough. Beyond 5.1 the quotient would grow past 1 and is limited.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V t = at_most(d, 5.1F * 5.1F, hn::Mul(x, x));
  const V t2 = hn::Mul(t, t);
  const V p = polynomial(d, t, t2, 1590342.75F, 196430.906F, 21918.0215F, 1241.00842F, 23.175642F);
  const V top = hn::Add(t, hn::Set(d, 222.895493F));  // of q; its last coefficient is 1
  const V q = hn::MulAdd(hn::MulAdd(top, t2, polynomial(d, t, t2, 74056.7734F, 5353.33594F)), t2,
                         polynomial(d, t, t2, 1993200.25F, 578379.812F));
  const V half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, hold(d, hn::Div(hn::Mul(x, p), q), -1.0F, 1.0F), half);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const hn::RebindToSigned<D> whole;
  const V none = hn::Zero(d);
  // Subnormal numbers are lifted into the normal range first.
  const auto subnormal = hn::Lt(x, hn::Set(d, std::numeric_limits<float>::min()));
  const V lifted = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p23F)), x);
  const auto bits = hn::BitCast(whole, lifted);
  // The exponent is counted from √½, so that 1 + f is in [√½, √2).
  const auto n = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(whole, 0x3F3504F3)));
  const V f = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(n))), hn::Set(d, 1.0F));
  const V exponent = hn::Sub(hn::ConvertTo(d, n), hn::IfThenElseZero(subnormal, hn::Set(d, 23.0F)));
  const V f2 = hn::Mul(f, f);
  const V q = polynomial(d, f, f2, 0.333333313F, -0.250008196F, 0.200012267F, -0.166233569F,
                         0.142017573F, -0.131601825F, 0.127615765F, -0.0763449669F);
  const V cubic = hn::Mul(hn::Mul(f, f2), q);
  const V low =
      hn::MulAdd(exponent, hn::Set(d, -2.12194440e-4F), hn::NegMulAdd(hn::Set(d, 0.5F), f2, cubic));
  const V finite = hn::MulAdd(exponent, hn::Set(d, 0.693359375F), hn::Add(f, low));
  const V positive = hn::IfThenElse(hn::Lt(x, hn::Set(d, infinity)), finite, x);
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const V defined = hn::IfThenElse(hn::Lt(x, none), nan, positive);
  return hn::IfThenElse(hn::Eq(x, none), hn::Set(d, -infinity), defined);
}

/// ln(1 + x), x ≥ 0, corrected for the rounding of 1 + x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  const V one = hn::Set(d, 1.0F);
  const V sum = hn::Add(one, x);
  const V lost = hn::Div(hn::Sub(x, hn::Sub(sum, one)), sum);
  const auto counts = hn::Lt(x, hn::Set(d, 1e30F));
  return hn::Add(log(d, sum), hn::IfThenElseZero(counts, lost));
}

/// ln(1 + eˣ)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
  const V e = exp_to_88(d, hn::Neg(hn::Abs(x)));
  return hn::Add(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x), log1p(d, e));
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
