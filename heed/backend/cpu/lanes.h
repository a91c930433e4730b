// Four numbers at once, with the vector extensions of GCC and Clang, for loops whose sums must stay
// in registers.
#pragma once

#include <cstdint>
#include <cstring>

namespace heed::cpu {

template <class T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Type = float __attribute__((vector_size(16)));
};
template <>
struct LanesOf<int32_t> {
  using Type = int32_t __attribute__((vector_size(16)));
};

template <class T>
using Lanes = typename LanesOf<T>::Type;
inline constexpr int64_t lane_count = 4;

template <class T>
Lanes<T> load(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

template <class T>
void store(T* to, Lanes<T> lanes) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

template <class T>
Lanes<T> spread(T x) {
  return Lanes<T>{x, x, x, x};
}

}  // namespace heed::cpu
