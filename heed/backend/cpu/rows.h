// Runs a kernel over the rows (last axis) of several f32 views, dense whatever their strides: a row
// with gaps passes through a dense copy.
#pragma once

#include <array>
#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/segments.h"

namespace heed::cpu {

/// Calls body(pointers, n) for every row; the first `Outs` views are written, the others read.
/// Views have one shape.
template <size_t N, size_t Outs = 1, class Body>
void each_row(const std::array<View, N>& views, const Body& body) {
  const int last = views[0].rank() - 1;
  const int64_t n = views[0].shape[last];
  std::array<View, N> starts = views;
  bool is_dense = true;
  for (View& start : starts) {
    is_dense = is_dense && (start.strides[last] == 1 || n == 1);
    start.shape[last] = 1;
  }
  const Segments<N> segments = segments_of(starts);
  each_range(n == 0 ? 0 : segments.count(), units_per_chunk(n), [&](int64_t begin, int64_t end) {
    std::vector<float> copies(is_dense ? 0 : static_cast<size_t>(n) * N);
    each_segment(segments, begin, end, [&](const Offsets<N>& at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        std::array<float*, N> row;
        for (size_t v = 0; v < N; ++v) {
          row[v] = views[v].template as<float>() + at[v] + i * segments.inner[v];
        }
        if (is_dense) {
          body(row, n);
          continue;
        }
        std::array<float*, N> dense;
        for (size_t v = 0; v < N; ++v) {
          dense[v] = copies.data() + static_cast<int64_t>(v) * n;
          for (int64_t j = 0; v >= Outs && j < n; ++j) {
            dense[v][j] = row[v][j * views[v].strides[last]];
          }
        }
        body(dense, n);
        for (size_t v = 0; v < Outs; ++v) {
          for (int64_t j = 0; j < n; ++j) {
            row[v][j * views[v].strides[last]] = dense[v][j];
          }
        }
      }
    });
  });
}

}  // namespace heed::cpu
