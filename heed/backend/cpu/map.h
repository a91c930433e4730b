// One dense loop for each function; map.cpp brings operands of any strides to it.
#pragma once

#include <array>
#include <cstdint>

#include "heed/backend/cpu/vector_math.h"
#include "heed/device/functions.h"

namespace heed::cpu {

/// out_i ← f(in₀_i, …) for i < n; out may be one of the operands.
template <class T>
using DenseLoop = void (*)(T* out, const T* const* in, int64_t n, Scalars<T> s);

/// The loop of a function of that arity on floats; each lives in its own file to keep compile times
/// low.
DenseLoop<float> unary_loop(Function f);
DenseLoop<float> binary_loop(Function f);
DenseLoop<float> ternary_loop(Function f);
DenseLoop<int32_t> integer_loop(Function f);

template <class F, class T>
void dense_loop(T* out, const T* const* in, int64_t n, Scalars<T> s) {
  const T* x = in[0];
  if constexpr (F::arity == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] = F::template at<VectorMath>(x[i], s);
    }
  } else if constexpr (F::arity == 2) {
    const T* y = in[1];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] = F::template at<VectorMath>(x[i], y[i], s);
    }
  } else {
    const T* y = in[1];
    const T* z = in[2];
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      out[i] = F::template at<VectorMath>(x[i], y[i], z[i], s);
    }
  }
}

/// The loops of every function that `Wanted<F>` admits, null elsewhere.
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

template <int N>
struct OfArity {
  template <class F>
  using Wanted = std::bool_constant<F::arity == N>;
};

}  // namespace heed::cpu
