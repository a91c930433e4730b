// Copies, fills and random numbers.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³, exact in float and double alike
//   normal  = the float normal of the draw, in either type
#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"
#include "heed/device/convert.h"
#include "heed/device/primitive_checks.h"

namespace heed::reference {

void copy(const View& to, const View& from) {
  with_any_type(to.dtype, [&](auto target) {
    with_any_type(from.dtype, [&](auto source) {
      using To = decltype(target);
      using From = decltype(source);
      walk<2>(to.shape, {to.strides, from.strides}, [&](const Offsets<2>& at) {
        to.as<To>()[at[0]] = converted<To>(from.as<From>()[at[1]]);
      });
    });
  });
}

void fill(const View& to, double value) {
  with_any_type(to.dtype, [&](auto target) {
    using T = decltype(target);
    walk<1>(to.shape, {to.strides},
            [&](const Offsets<1>& at) { to.as<T>()[at[0]] = converted<T>(value); });
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
