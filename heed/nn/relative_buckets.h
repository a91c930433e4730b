// Distances in buckets (T5, Raffel 2020): near ones each have a bucket of their own, farther ones
// share buckets that widen logarithmically up to `reach`, and all beyond share the last. With n
// buckets for one direction, E = n/2 of them exact, and distance r:
//
//   r < E:  r        else:  min(E + ⌊ln(r/E) / ln(reach/E) · (n − E)⌋, n − 1)
//
// Causal: all buckets serve slots at or before the query (later ones fall into bucket 0).
// Both ways: half of them serve r = i − j ≥ 0, the other half slots after the query.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

struct RelativeBuckets {
  int64_t count = 32;
  int64_t reach = 128;
  bool is_causal = false;

  /// Refuses counts and reaches that leave no bucket for what lies far.
  void check() const;
  /// Of slot j seen from query i, offset = j − i. Computed in f32 as T5 does, so that the edges
  /// fall where its edges fall.
  int32_t bucket(int64_t offset) const;
  /// i32 [R, S] for queries at these positions and slots 0 … S − 1.
  Tensor index(std::span<const int32_t> query_positions, int64_t slots, const Place& place) const;
};

}  // namespace heed
