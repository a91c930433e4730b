// Runs a kernel over the rows (last axis) of several f32 views. The kernel sees dense rows: a row
// with gaps is copied.
#pragma once

#include <array>
#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/segments.h"

namespace heed::cpu {

template <size_t N>
using RowPointers = std::array<float*, N>;

/// Runs `body` on dense copies of the rows; the first `Outs` are copied back.
template <size_t N, size_t Outs, class Body>
void through_copies(const RowPointers<N>& row, const std::array<int64_t, N>& stride, int64_t n,
                    std::vector<float>& storage, const Body& body) {
  storage.resize(static_cast<size_t>(n) * N);
  RowPointers<N> dense;
  for (size_t v = 0; v < N; ++v) {
    dense[v] = storage.data() + static_cast<int64_t>(v) * n;
    for (int64_t j = 0; v >= Outs && j < n; ++j) {
      dense[v][j] = row[v][j * stride[v]];
    }
  }
  body(dense, n);
  for (size_t v = 0; v < Outs; ++v) {
    for (int64_t j = 0; j < n; ++j) {
      row[v][j * stride[v]] = dense[v][j];
    }
  }
}

/// Calls body(pointers, n) for every row; the first `Outs` views are written, the others read.
/// Views have one shape.
template <size_t N, size_t Outs = 1, class Body>
void each_row(const std::array<View, N>& views, const Body& body) {
  const int last = views[0].rank() - 1;
  const int64_t n = views[0].shape[last];
  std::array<View, N> starts = views;
  std::array<int64_t, N> stride;
  bool is_dense = true;
  for (size_t v = 0; v < N; ++v) {
    stride[v] = views[v].strides[last];
    is_dense = is_dense && (stride[v] == 1 || n == 1);
    starts[v].shape[last] = 1;
  }
  const Segments<N> segments = segments_of(starts);
  each_range(n == 0 ? 0 : segments.count(), units_per_chunk(n), [&](int64_t begin, int64_t end) {
    std::vector<float> storage;
    each_segment(segments, begin, end, [&](const Offsets<N>& at, int64_t count) {
      RowPointers<N> row;
      for (size_t v = 0; v < N; ++v) {
        row[v] = views[v].template as<float>() + at[v];
      }
      for (int64_t i = 0; i < count; ++i) {
        is_dense ? body(row, n) : through_copies<N, Outs>(row, stride, n, storage, body);
        for (size_t v = 0; v < N; ++v) {
          row[v] += segments.inner[v];
        }
      }
    });
  });
}

}  // namespace heed::cpu
