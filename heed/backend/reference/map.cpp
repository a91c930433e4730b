// out ← f(in…), element by element, with the functions of the C library.
#include <cmath>
#include <utility>

#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {
namespace {

struct LibraryMath {
  template <class T>
  static T exp(T x) {
    return std::exp(x);
  }
  template <class T>
  static T log(T x) {
    return std::log(x);
  }
  template <class T>
  static T log1p(T x) {
    return std::log1p(x);
  }
  template <class T>
  static T sqrt(T x) {
    return std::sqrt(x);
  }
  template <class T>
  static T floor(T x) {
    return std::floor(x);
  }
  template <class T>
  static T sin(T x) {
    return std::sin(x);
  }
  template <class T>
  static T cos(T x) {
    return std::cos(x);
  }
  template <class T>
  static T tanh(T x) {
    return std::tanh(x);
  }
  template <class T>
  static T sigmoid(T x) {
    const T e = std::exp(x < 0 ? x : -x);
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
  }
  template <class T>
  static T erf(T x) {
    return std::erf(x);
  }
};

template <class F, class T>
void apply(const View& out, std::span<const View> in, Scalars<T> s) {
  T* to = out.as<T>();
  if constexpr (F::arity == 1) {
    walk<2>(out.shape, {out.strides, in[0].strides}, [&](const Offsets<2>& at) {
      to[at[0]] = F::template at<LibraryMath>(in[0].as<T>()[at[1]], s);
    });
  } else if constexpr (F::arity == 2) {
    walk<3>(out.shape, {out.strides, in[0].strides, in[1].strides}, [&](const Offsets<3>& at) {
      to[at[0]] = F::template at<LibraryMath>(in[0].as<T>()[at[1]], in[1].as<T>()[at[2]], s);
    });
  } else {
    walk<4>(out.shape, {out.strides, in[0].strides, in[1].strides, in[2].strides},
            [&](const Offsets<4>& at) {
              to[at[0]] = F::template at<LibraryMath>(in[0].as<T>()[at[1]], in[1].as<T>()[at[2]],
                                                      in[2].as<T>()[at[3]], s);
            });
  }
}

template <class T>
using Apply = void (*)(const View&, std::span<const View>, Scalars<T>);

template <class F, class T>
constexpr Apply<T> apply_or_none() {
  if constexpr (std::is_same_v<T, int32_t> && !works_on_integers(function<F>)) {
    return nullptr;  // the check of the arguments refuses this case
  } else {
    return &apply<F, T>;
  }
}

template <class T, class... All>
constexpr std::array<Apply<T>, sizeof...(All)> table(std::tuple<All...>*) {
  return {apply_or_none<All, T>()...};
}

}  // namespace

void map(Function f, const View& out, std::span<const View> in, MapScalars scalars) {
  with_type(out.dtype, [&](auto element) {
    using T = decltype(element);
    static constexpr auto functions = table<T>(static_cast<fn::Functions*>(nullptr));
    const Scalars<T> s{static_cast<T>(scalars.a), static_cast<T>(scalars.b)};
    functions[static_cast<size_t>(f)](out, in, s);
  });
}

}  // namespace heed::reference
