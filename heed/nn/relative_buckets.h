// Distances in buckets (T5, Raffel 2020): near ones each have a bucket of their own, farther ones
// share buckets that widen logarithmically up to `distance`, and all beyond share the last. With n
// buckets for one direction, E = n/2 of them exact, and r = |j − i|:
//
//   r < E:  r        else:  min(E + ⌊ln(r/E) / ln(distance/E) · (n − E)⌋, n − 1)
//
// Both ways: the first half of the buckets serves slots at or before the query, the second half
// those after it. One way: all serve slots at or before the query, and later ones fall into 0.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

struct RelativeBuckets {
  bool is_bidirectional = true;
  int64_t buckets = 32;    // at least 2 each way
  int64_t distance = 128;  // from here on all fall into the last
};

/// Of slot j seen from query i, offset = j − i. Computed in f32 as T5 does, so that the edges fall
/// where its edges fall.
int32_t relative_bucket(int64_t offset, const RelativeBuckets& how);

/// i32 [R, S] for queries at these positions and slots 0 … S − 1.
Tensor relative_bucket_index(std::span<const int32_t> query_positions, int64_t slots,
                             const RelativeBuckets& how, const Place& place);

}  // namespace heed
