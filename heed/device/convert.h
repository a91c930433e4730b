// An element as another type. Whole numbers are rounded towards zero and limited to their range; NaN
// becomes 0. Halves are rounded to the nearest, ties to even.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "heed/device/half.h"

namespace heed {

template <class To, class From>
constexpr To limited(From x) {
  using Limits = std::numeric_limits<To>;
  constexpr auto least = static_cast<From>(Limits::min());
  constexpr From most = std::is_floating_point_v<From> && sizeof(To) == 4
                            ? -static_cast<From>(Limits::min())  // 2³¹, which From holds exactly
                            : static_cast<From>(Limits::max());
  if (x != x) {
    return 0;
  }
  return x <= least ? Limits::min() : x >= most ? Limits::max() : static_cast<To>(x);
}

template <class To, class From>
constexpr To converted(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, Bf16> || std::is_same_v<From, F16>) {
    return converted<To>(static_cast<float>(x));
  } else if constexpr (std::is_integral_v<To> && sizeof(To) <= sizeof(int32_t) &&
                       !(std::is_same_v<From, uint8_t>)) {
    return limited<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace heed
