// Visits every index of a shape in row-major order and gives its offset in each of N views.
#pragma once

#include <array>
#include <cstdint>

#include "heed/device/view.h"

namespace heed::reference {

template <size_t N>
using Offsets = std::array<int64_t, N>;

/// Counts like an odometer: the last axis turns fastest, and an axis that ends starts again at 0.
template <size_t N, class Body>
void walk(const Shape& shape, const std::array<Strides, N>& strides, const Body& body) {
  std::array<int64_t, Shape::max_rank> index{};
  Offsets<N> at{};
  const auto move = [&](int axis, int64_t steps) {
    for (size_t n = 0; n < N; ++n) {
      at[n] += steps * strides[n][axis];
    }
  };
  for (int64_t left = shape.numel(); left > 0; --left) {
    body(at);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      move(axis, 1);
      if (++index[axis] < shape[axis]) {
        break;
      }
      move(axis, -shape[axis]);
      index[axis] = 0;
    }
  }
}

}  // namespace heed::reference
