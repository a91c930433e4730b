// What device code shares can be computed by the compiler, and so by a compiler for devices.
#include <gtest/gtest.h>

#include "heed/base/philox.h"
#include "heed/device/functions.h"
#include "heed/device/kernel_key.h"

namespace heed::constexpr_test {
namespace {

/// As simple as can be: the formulas are what is looked at.
struct PlainMath {
  template <class T>
  static constexpr T sqrt(T x) {
    return x;
  }
  template <class T>
  static constexpr T log(T x) {
    return x;
  }
  template <class T>
  static constexpr T log1p(T x) {
    return x;
  }
  template <class T>
  static constexpr T exp(T x) {
    return x;
  }
  template <class T>
  static constexpr T floor(T x) {
    return x;
  }
  template <class T>
  static constexpr T sin(T x) {
    return x;
  }
  template <class T>
  static constexpr T cos(T x) {
    return x;
  }
  template <class T>
  static constexpr T tanh(T x) {
    return x;
  }
  template <class T>
  static constexpr T sigmoid(T x) {
    return x;
  }
  template <class T>
  static constexpr T erf(T x) {
    return x;
  }
};

template <class F>
constexpr float at_two_and_three() {
  constexpr Scalars<float> s{2, 3};
  if constexpr (F::arity == 1) {
    return F::template at<PlainMath>(2.0F, s);
  } else if constexpr (F::arity == 2) {
    return F::template at<PlainMath>(2.0F, 3.0F, s);
  } else {
    return F::template at<PlainMath>(2.0F, 3.0F, 4.0F, s);
  }
}

template <class... All>
constexpr int finite_ones(std::tuple<All...>*) {
  return ((at_two_and_three<All>() - at_two_and_three<All>() == 0 ? 1 : 0) + ...);
}
static_assert(finite_ones(static_cast<fn::Functions*>(nullptr)) == function_count);
static_assert(at_two_and_three<fn::Affine>() == 7);
static_assert(at_two_and_three<fn::SelectOr>() == 3);
static_assert(at_two_and_three<fn::MultiplyAdd>() == 10);

static_assert(Philox{0}(0)[0] == 0x6627E8D5U);  // Random123's known answer
static_assert(Draws(RandomKey{1, 2, 3}).uniform(4) < 1);
static_assert(Draws(RandomKey{1, 2, 3}).below(4, 10) < 10);
static_assert(Draws(RandomKey{1, 2, 3}).normal<PlainMath>(0) ==
              Draws(RandomKey{1, 2, 3}).normals<PlainMath>(0)[0]);

constexpr Shape shape{2, 3, 4};
static_assert(shape.numel() == 24 && shape[-1] == 4 && shape.with(1, 5) == Shape{2, 5, 4});
static_assert(Shape(shape).insert(0, 7) == Shape{7, 2, 3, 4} &&
              Shape(shape).erase(1) == Shape{2, 4});
static_assert(dense_strides(shape)[0] == 12);
static_assert(dense_view(nullptr, DType::i32, shape).is_contiguous());
static_assert(KernelKey(RandomKey{1, 2, 3}).key.stream == 3);

TEST(Constexpr, IsWhatDeviceCodeShares) { SUCCEED() << "the assertions above are the test"; }

}  // namespace
}  // namespace heed::constexpr_test
