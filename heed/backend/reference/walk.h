// Visits every index of a shape in row-major order and says where it lies in each of N views.
#pragma once

#include <array>
#include <cstdint>

#include "heed/device/view.h"

namespace heed::reference {

template <size_t N>
using Offsets = std::array<int64_t, N>;

template <size_t N, class Body>
void walk(const Shape& shape, const std::array<Strides, N>& strides, const Body& body, int axis = 0,
          Offsets<N> at = {}) {
  if (axis == shape.rank()) {
    body(at);
    return;
  }
  for (int64_t i = 0; i < shape[axis]; ++i) {
    walk(shape, strides, body, axis + 1, at);
    for (size_t n = 0; n < N; ++n) {
      at[n] += strides[n][axis];
    }
  }
}

}  // namespace heed::reference
