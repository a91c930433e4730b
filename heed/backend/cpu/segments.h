// N views of one shape as rows along one inner axis, so that kernels see pointers and strides
// instead of axes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "heed/device/view.h"

namespace heed::cpu {

template <size_t N>
using Offsets = std::array<int64_t, N>;

template <size_t N>
struct Segments {
  Shape outer;                      // the other axes
  std::array<Strides, N> around{};  // their strides in each view
  int64_t length = 1;               // of a row
  Offsets<N> inner{};               // the stride along a row in each view
  int64_t count() const { return outer.numel() * length; }
};

/// Sorts the axes by falling stride of views[0], so that it is visited from front to back. For
/// elementwise functions only, because the order of elements changes.
template <size_t N>
void order_axes(std::array<View, N>& views) {
  const int rank = views[0].rank();
  const Strides keys = views[0].strides;
  const auto is_before = [&keys](int a, int b) { return std::abs(keys[a]) > std::abs(keys[b]); };
  std::array<int, Shape::max_rank> order{};
  bool is_ordered = true;
  for (int i = 0; i < rank; ++i) {  // insertion sort: few axes, mostly in order already
    int at = i;
    for (; at > 0 && is_before(i, order[at - 1]); --at) {
      order[at] = order[at - 1];
    }
    order[at] = i;
    is_ordered = is_ordered && at == i;
  }
  if (is_ordered) {
    return;
  }
  for (View& view : views) {
    view = permuted(view, std::span(order).first(static_cast<size_t>(rank)));
  }
}

/// Rows along the last axis that remains after merging.
template <size_t N>
Segments<N> segments_of(std::array<View, N> views) {
  merge_axes(views);
  Segments<N> made;
  made.outer = views[0].shape;
  const int last = made.outer.rank() - 1;
  if (last >= 0) {
    made.length = made.outer[last];
    made.outer.erase(last);
  }
  for (size_t n = 0; n < N; ++n) {
    made.around[n] = views[n].strides;
    made.inner[n] = last >= 0 ? views[n].strides[last] : 0;
  }
  return made;
}

/// Calls body(offsets, count) for each piece of a row in elements [begin, end), counted row by row.
template <size_t N, class Body>
void each_segment(const Segments<N>& segments, int64_t begin, int64_t end, const Body& body) {
  if (begin >= end) {
    return;
  }
  const int rank = segments.outer.rank();
  std::array<int64_t, Shape::max_rank> index{};
  Offsets<N> row{};
  int64_t column = begin % segments.length;
  int64_t rest = begin / segments.length;
  for (int axis = rank - 1; axis >= 0; --axis) {
    index[axis] = rest % segments.outer[axis];
    rest /= segments.outer[axis];
    for (size_t n = 0; n < N; ++n) {
      row[n] += index[axis] * segments.around[n][axis];
    }
  }
  while (begin < end) {
    const int64_t count = std::min(end - begin, segments.length - column);
    Offsets<N> at = row;
    for (size_t n = 0; n < N; ++n) {
      at[n] += column * segments.inner[n];
    }
    body(at, count);
    begin += count;
    column = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const bool ends = ++index[axis] == segments.outer[axis];
      for (size_t n = 0; n < N; ++n) {
        row[n] += segments.around[n][axis] * (ends ? 1 - segments.outer[axis] : 1);
      }
      if (!ends) {
        break;
      }
      index[axis] = 0;
    }
  }
}

}  // namespace heed::cpu
