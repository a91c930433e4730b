// The dense loop of each function, for one SIMD target: see simd-inl.h. Functions that need exp,
// tanh and the like use vectors explicitly; the others are plain loops, which compilers vectorise.
#if defined(HEED_BACKEND_CPU_DENSE_LOOPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_DENSE_LOOPS_INL_H
#undef HEED_BACKEND_CPU_DENSE_LOOPS_INL_H
#else
#define HEED_BACKEND_CPU_DENSE_LOOPS_INL_H
#endif

#include <array>
#include <cmath>
#include <tuple>

#include "heed/backend/cpu/map.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

inline constexpr Wide wide;

// The formulas of device/functions.h on vectors.
HWY_INLINE Floats on_vectors(fn::Exp, Floats x) { return exp(wide, x); }
HWY_INLINE Floats on_vectors(fn::Log, Floats x) { return log(wide, x); }
HWY_INLINE Floats on_vectors(fn::Tanh, Floats x) { return tanh(wide, x); }
HWY_INLINE Floats on_vectors(fn::Sigmoid, Floats x) { return sigmoid(wide, x); }
HWY_INLINE Floats on_vectors(fn::Gelu, Floats x) { return gelu(wide, x); }
HWY_INLINE Floats on_vectors(fn::Silu, Floats x) { return silu(wide, x); }
HWY_INLINE Floats on_vectors(fn::Softplus, Floats x) { return softplus(wide, x); }
HWY_INLINE Floats on_vectors(fn::Erf, Floats x) { return erf(wide, x); }

/// √(2/π)(x + 0.044715 x³)
HWY_INLINE Floats gelu_inner(Floats x) {
  const Floats root = spread(fn::sqrt_two_over_pi<float>);
  const Floats cubic = spread(fn::sqrt_two_over_pi<float> * fn::gelu_cubic<float>);
  return hn::Mul(x, hn::MulAdd(cubic, hn::Mul(x, x), root));
}

HWY_INLINE Floats on_vectors(fn::GeluTanh, Floats x) {
  const Floats half = hn::Mul(spread(0.5F), x);
  return hn::MulAdd(half, tanh(wide, gelu_inner(x)), half);
}

HWY_INLINE Floats on_vectors(fn::GeluGradient, Floats dy, Floats x) {
  const Floats half = spread(0.5F);
  const Floats density = hn::Mul(spread(fn::normal_peak<float>),
                                 exp_to_88(wide, hn::Mul(hn::Mul(spread(-0.5F), x), x)));
  return hn::Mul(dy, hn::MulAdd(x, density, hn::MulAdd(half, normal_within(wide, x), half)));
}

HWY_INLINE Floats on_vectors(fn::GeluTanhGradient, Floats dy, Floats x) {
  const Floats t = tanh(wide, gelu_inner(x));
  const Floats half = spread(0.5F);
  const Floats bend = spread(3 * fn::sqrt_two_over_pi<float> * fn::gelu_cubic<float>);
  const Floats inner = hn::MulAdd(bend, hn::Mul(x, x), spread(fn::sqrt_two_over_pi<float>));
  const Floats beside = hn::Mul(hn::Mul(half, x), hn::NegMulAdd(t, t, spread(1.0F)));
  return hn::Mul(dy, hn::MulAdd(beside, inner, hn::MulAdd(half, t, half)));
}

HWY_INLINE Floats on_vectors(fn::SiluGradient, Floats dy, Floats x) {
  const Floats y = sigmoid(wide, x);
  const Floats beside = hn::Mul(x, hn::Sub(spread(1.0F), y));
  return hn::Mul(hn::Mul(dy, y), hn::Add(spread(1.0F), beside));
}

HWY_INLINE Floats on_vectors(fn::SoftplusGradient, Floats dy, Floats x) {
  return hn::Mul(dy, sigmoid(wide, x));
}

HWY_INLINE Floats on_vectors(fn::ErfGradient, Floats dy, Floats x) {
  const Floats e = exp_to_88(wide, hn::Neg(hn::Mul(x, x)));
  return hn::Mul(hn::Mul(dy, spread(fn::two_over_sqrt_pi<float>)), e);
}

/// The functions that plain loops call. Of these a model uses only √ often.
struct PlainMath {
  static float sqrt(float x) { return std::sqrt(x); }
  static float floor(float x) { return std::floor(x); }
  static float sin(float x) { return std::sin(x); }
  static float cos(float x) { return std::cos(x); }
};

template <class F, class T>
HWY_FLATTEN void dense_loop(T* out, const T* const* in, int64_t n, Scalars<T> s) {
  const T* x = in[0];
  if constexpr (F::arity == 1) {
    if constexpr (requires(Floats v) { on_vectors(F(), v); }) {
      transform(
          out, n, [](Floats v) HWY_ATTR { return on_vectors(F(), v); }, x);
    } else {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) {
        out[i] = F::template at<PlainMath>(x[i], s);
      }
    }
  } else if constexpr (F::arity == 2) {
    const T* y = in[1];
    if constexpr (requires(Floats v) { on_vectors(F(), v, v); }) {
      transform(
          out, n, [](Floats v, Floats w) HWY_ATTR { return on_vectors(F(), v, w); }, x, y);
    } else {
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) {
        out[i] = F::template at<PlainMath>(x[i], y[i], s);
      }
    }
  } else {
    const T* y = in[1];
    const T* z = in[2];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] = F::template at<PlainMath>(x[i], y[i], z[i], s);
    }
  }
}

/// The loops of every function that satisfies `Wanted<F>`, null for the others.
template <class T, template <class> class Wanted, class... All>
constexpr std::array<DenseLoop<T>, sizeof...(All)> loop_table(std::tuple<All...>*) {
  constexpr auto loop_of = []<class F>(F*) -> DenseLoop<T> {
    if constexpr (Wanted<F>::value) {
      return &dense_loop<F, T>;
    } else {
      return nullptr;
    }
  };
  return {loop_of(static_cast<All*>(nullptr))...};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
