// The functions of `Backend::map`, each a formula that is written once.
//
// A function is a struct with `arity` and `at<M>(x…, s)`: M supplies exp, tanh, … (the C library in
// the reference backend, vectorisable forms on the CPU), s holds up to two scalars a and b. To add
// one: the struct, and its name in `Functions`. Functions named …Gradient are gradients: the first
// operand is the gradient of the result, the second the input x or the value y, as noted. Everything
// is constexpr and needs no library, because device code shares this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace heed {

template <class T>
struct Scalars {
  T a = 0;
  T b = 0;
};

namespace fn {

/// How many operands a function takes, and whether it makes sense for whole numbers; the others
/// refuse i32.
template <int N, bool takes_integers>
struct Kind {
  static constexpr int arity = N;
  static constexpr bool on_integers = takes_integers;
};
using Unary = Kind<1, false>;
using Binary = Kind<2, false>;
using UnaryOnAny = Kind<1, true>;
using BinaryOnAny = Kind<2, true>;
using TernaryOnAny = Kind<3, true>;

template <class T>
inline constexpr T sqrt_half = static_cast<T>(0.70710678118654752440);  // 1/√2
template <class T>
inline constexpr T normal_peak = static_cast<T>(0.39894228040143267794);  // 1/√(2π)
template <class T>
inline constexpr T two_over_sqrt_pi = static_cast<T>(1.12837916709551257390);
template <class T>
inline constexpr T sqrt_two_over_pi = static_cast<T>(0.79788456080286535588);
template <class T>
inline constexpr T gelu_cubic = static_cast<T>(0.044715);

struct Affine : UnaryOnAny {  // a x + b
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return s.a * x + s.b;
  }
};

struct Abs : UnaryOnAny {  // |x|
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return x < 0 ? -x : x;
  }
};

struct Sign : UnaryOnAny {  // −1, 0 or 1
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct Floor : Unary {  // the largest whole number ≤ x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::floor(x);
  }
};

struct Reciprocal : Unary {  // 1 / x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return 1 / x;
  }
};

struct Exp : Unary {  // eˣ
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::exp(x);
  }
};

struct Log : Unary {  // ln x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::log(x);
  }
};

struct Sqrt : Unary {  // √x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::sqrt(x);
  }
};

struct ReciprocalSqrt : Unary {  // 1 / √x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return 1 / M::sqrt(x);
  }
};

struct Sin : Unary {  // sin x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::sin(x);
  }
};

struct Cos : Unary {  // cos x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::cos(x);
  }
};

struct Tanh : Unary {  // tanh x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::tanh(x);
  }
};

struct Sigmoid : Unary {  // 1 / (1 + e⁻ˣ)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::sigmoid(x);
  }
};

struct Relu : UnaryOnAny {  // max(0, x)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return x > 0 ? x : T(0);
  }
};

struct Gelu : Unary {  // x Φ(x), Φ the normal distribution function
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return x * (T(0.5) + T(0.5) * M::erf(x * sqrt_half<T>));
  }
};

struct GeluTanh : Unary {  // ½ x (1 + tanh(√(2/π)(x + 0.044715 x³)))
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return T(0.5) * x * (1 + M::tanh(sqrt_two_over_pi<T> * (x + gelu_cubic<T> * x * x * x)));
  }
};

struct Silu : Unary {  // x σ(x)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return x * M::sigmoid(x);
  }
};

struct Softplus : Unary {  // ln(1 + eˣ)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return (x > 0 ? x : T(0)) + M::log1p(M::exp(x > 0 ? -x : x));
  }
};

struct Erf : Unary {  // erf x
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return M::erf(x);
  }
};

struct Clamp : UnaryOnAny {  // x held within [a, b]
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return x < s.a ? s.a : (x > s.b ? s.b : x);
  }
};

struct MaximumWith : UnaryOnAny {  // max(x, a)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return x > s.a ? x : s.a;
  }
};

struct MinimumWith : UnaryOnAny {  // min(x, a)
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return x < s.a ? x : s.a;
  }
};

struct EqualTo : UnaryOnAny {  // 1 where x = a, else 0
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return static_cast<T>(x == s.a);
  }
};

struct Below : UnaryOnAny {  // 1 where x < a, else 0
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return static_cast<T>(x < s.a);
  }
};

struct Above : UnaryOnAny {  // 1 where x > a, else 0
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return static_cast<T>(x > s.a);
  }
};

struct Keep : UnaryOnAny {  // b where x ≥ a, else 0: a dropout mask from uniform numbers
  template <class M, class T>
  static constexpr T at(T x, Scalars<T> s) {
    return x >= s.a ? s.b : T(0);
  }
};

struct IsZero : UnaryOnAny {  // 1 where x = 0, else 0
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return static_cast<T>(x == 0);
  }
};

struct IsFinite : Unary {  // 1 where x is a finite number, else 0
  template <class M, class T>
  static constexpr T at(T x, Scalars<T>) {
    return static_cast<T>(x - x == 0);
  }
};

struct Add : BinaryOnAny {  // x + y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x + y;
  }
};

struct Subtract : BinaryOnAny {  // x − y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x - y;
  }
};

struct Multiply : BinaryOnAny {  // x y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * y;
  }
};

struct Divide : Binary {  // x / y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x / y;
  }
};

struct AddScaled : BinaryOnAny {  // x + a y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return x + s.a * y;
  }
};

struct Mix : BinaryOnAny {  // a x + b y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return s.a * x + s.b * y;
  }
};

struct Maximum : BinaryOnAny {  // max(x, y)
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x > y ? x : y;
  }
};

struct Minimum : BinaryOnAny {  // min(x, y)
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x < y ? x : y;
  }
};

struct Equal : BinaryOnAny {  // 1 where x = y, else 0
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return static_cast<T>(x == y);
  }
};

struct Less : BinaryOnAny {  // 1 where x < y, else 0
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return static_cast<T>(x < y);
  }
};

struct AtMost : BinaryOnAny {  // 1 where x ≤ y, else 0
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return static_cast<T>(x <= y);
  }
};

struct SqrtGradient : Binary {  // y = √x
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x / (2 * y);
  }
};

struct TanhGradient : Binary {  // y = tanh x
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * (1 - y * y);
  }
};

struct SigmoidGradient : Binary {  // y = σ(x)
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * y * (1 - y);
  }
};

struct ReluGradient : Binary {  // y = relu x (or x itself)
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return y > 0 ? x : T(0);
  }
};

struct GeluGradient : Binary {  // Φ(y) + y φ(y) at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * (T(0.5) + T(0.5) * M::erf(y * sqrt_half<T>) +
                y * normal_peak<T> * M::exp(T(-0.5) * y * y));
  }
};

struct GeluTanhGradient : Binary {  // at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    const T t = M::tanh(sqrt_two_over_pi<T> * (y + gelu_cubic<T> * y * y * y));
    const T inner = sqrt_two_over_pi<T> * (1 + 3 * gelu_cubic<T> * y * y);
    return x * (T(0.5) * (1 + t) + T(0.5) * y * (1 - t * t) * inner);
  }
};

struct SiluGradient : Binary {  // σ(y)(1 + y(1 − σ(y))) at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * M::sigmoid(y) * (1 + y * (1 - M::sigmoid(y)));
  }
};

struct SoftplusGradient : Binary {  // σ(y) at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * M::sigmoid(y);
  }
};

struct ErfGradient : Binary {  // 2/√π e^(−y²) at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T>) {
    return x * two_over_sqrt_pi<T> * M::exp(-y * y);
  }
};

struct ClampGradient : Binary {  // 1 inside [a, b] at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return y < s.a || y > s.b ? T(0) : x;
  }
};

struct MaximumWithGradient : Binary {  // 1 where y ≥ a at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return y >= s.a ? x : T(0);
  }
};

struct MinimumWithGradient : Binary {  // 1 where y ≤ a at the input y
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return y <= s.a ? x : T(0);
  }
};

struct SelectOr : BinaryOnAny {  // y where x ≠ 0, else a
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return x != 0 ? y : s.a;
  }
};

struct SelectUnless : BinaryOnAny {  // y where x = 0, else a
  template <class M, class T>
  static constexpr T at(T x, T y, Scalars<T> s) {
    return x != 0 ? s.a : y;
  }
};

struct Select : TernaryOnAny {  // y where x ≠ 0, else z
  template <class M, class T>
  static constexpr T at(T x, T y, T z, Scalars<T>) {
    return x != 0 ? y : z;
  }
};

struct MultiplyAdd : TernaryOnAny {  // x y + z
  template <class M, class T>
  static constexpr T at(T x, T y, T z, Scalars<T>) {
    return x * y + z;
  }
};

struct Within : TernaryOnAny {  // 1 where y ≤ x < z, else 0
  template <class M, class T>
  static constexpr T at(T x, T y, T z, Scalars<T>) {
    return static_cast<T>(y <= x && x < z);
  }
};

/// The list of all functions; a function's number is its position here.
using Functions =
    std::tuple<Affine, Abs, Sign, Floor, Reciprocal, Exp, Log, Sqrt, ReciprocalSqrt, Sin, Cos, Tanh,
               Sigmoid, Relu, Gelu, GeluTanh, Silu, Softplus, Erf, Clamp, MaximumWith, MinimumWith,
               EqualTo, Below, Above, Keep, IsZero, IsFinite, Add, Subtract, Multiply, Divide,
               AddScaled, Mix, Maximum, Minimum, Equal, Less, AtMost, SqrtGradient, TanhGradient,
               SigmoidGradient, ReluGradient, GeluGradient, GeluTanhGradient, SiluGradient,
               SoftplusGradient, ErfGradient, ClampGradient, MaximumWithGradient,
               MinimumWithGradient, SelectOr, SelectUnless, Select, MultiplyAdd, Within>;
}  // namespace fn

/// A function by its position in fn::Functions, such as `function<fn::Tanh>`.
enum class Function : uint16_t {};

namespace fn {
template <class F, class... All>
consteval uint16_t place_in(std::tuple<All...>*) {
  constexpr bool same[] = {std::is_same_v<F, All>...};
  uint16_t place = 0;
  while (!same[place]) {
    ++place;
  }
  return place;
}
}  // namespace fn

template <class F>
inline constexpr Function function{fn::place_in<F>(static_cast<fn::Functions*>(nullptr))};

inline constexpr size_t function_count = std::tuple_size_v<fn::Functions>;

namespace fn {
template <class... All>
consteval std::array<int8_t, sizeof...(All)> arities(std::tuple<All...>*) {
  return {All::arity...};
}
template <class... All>
consteval std::array<bool, sizeof...(All)> integral(std::tuple<All...>*) {
  return {All::on_integers...};
}
inline constexpr auto arity_table = arities(static_cast<Functions*>(nullptr));
inline constexpr auto integer_table = integral(static_cast<Functions*>(nullptr));
}  // namespace fn

/// How many operands `f` takes: 1, 2 or 3.
constexpr int arity_of(Function f) { return fn::arity_table[static_cast<size_t>(f)]; }
constexpr bool works_on_integers(Function f) { return fn::integer_table[static_cast<size_t>(f)]; }

}  // namespace heed
