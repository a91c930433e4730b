// One dense loop for each function; map.cpp brings operands of any strides to it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "heed/device/functions.h"

namespace heed::cpu {

/// out_i ← f(in₀_i, …) for i < n; out may be one of the operands.
template <class T>
using DenseLoop = void (*)(T* out, const T* const* in, int64_t n, Scalars<T> s);

/// The loop of a function of that arity on floats, for the machine's best SIMD target; each lives
/// in its own file to keep compile times low.
DenseLoop<float> unary_loop(Function f);
DenseLoop<float> binary_loop(Function f);
DenseLoop<float> ternary_loop(Function f);
DenseLoop<int32_t> integer_loop(Function f);

template <int N>
struct OfArity {
  template <class F>
  using Wanted = std::bool_constant<F::arity == N>;
};

}  // namespace heed::cpu
