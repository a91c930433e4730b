// Copies, fills and random numbers.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³, exact in float and double alike
//   normal  = the float normal of the draw, in either type
#include <cmath>
#include <limits>

#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"
#include "heed/device/primitive_checks.h"

namespace heed::reference {
namespace {

/// Whole numbers are rounded towards zero and limited to their range; NaN becomes 0.
template <class To, class From>
To cast(From x) {
  if constexpr (std::is_same_v<To, int32_t> && !std::is_same_v<From, int32_t>) {
    using Limits = std::numeric_limits<int32_t>;
    const double value = static_cast<double>(x);
    if (std::isnan(value)) {
      return 0;
    }
    return value <= Limits::min()   ? Limits::min()
           : value >= Limits::max() ? Limits::max()
                                    : static_cast<int32_t>(value);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace

void copy(const View& to, const View& from) {
  with_type(to.dtype, [&](auto target) {
    with_type(from.dtype, [&](auto source) {
      using To = decltype(target);
      using From = decltype(source);
      walk<2>(to.shape, {to.strides, from.strides},
              [&](const Offsets<2>& at) { to.as<To>()[at[0]] = cast<To>(from.as<From>()[at[1]]); });
    });
  });
}

void fill(const View& to, double value) {
  with_type(to.dtype, [&](auto target) {
    using T = decltype(target);
    walk<1>(to.shape, {to.strides},
            [&](const Offsets<1>& at) { to.as<T>()[at[0]] = cast<T>(value); });
  });
}

namespace {

template <class T>
T drawn(const Draws& draws, Distribution distribution, uint64_t e) {
  return distribution == Distribution::normal
             ? static_cast<T>(draws.normal(e))
             : (static_cast<T>(draws.bits(e) >> 9) + T(0.5)) * T(0x1p-23);
}

}  // namespace

void random(const View& to, Distribution distribution, const RandomKey& key) {
  const Draws draws(key);
  with_type(to.dtype, [&](auto target) {
    using T = decltype(target);
    const Strides element = dense_strides(to.shape);
    walk<2>(to.shape, {to.strides, element}, [&](const Offsets<2>& at) {
      to.as<T>()[at[0]] = drawn<T>(draws, distribution, static_cast<uint64_t>(at[1]));
    });
  });
}

void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                 const View& keys) {
  with_type(to.dtype, [&](auto target) {
    using T = decltype(target);
    const Strides row{1, 0, 0};
    const Strides element{0, 1 << 24, 1};
    walk<3>(to.shape, {to.strides, row, element}, [&](const Offsets<3>& at) {
      const Draws draws(checks::key_of_row(key, keys, at[1]));
      to.as<T>()[at[0]] = drawn<T>(draws, distribution, static_cast<uint64_t>(at[2]));
    });
  });
}

}  // namespace heed::reference
