// Distances in buckets (T5, Raffel 2020): each small distance has its own bucket, larger ones share
// buckets that widen logarithmically up to `distance`, and all beyond share the last. With n
// buckets for one direction, E = n/2 of them exact, and r = |j − i|:
//
//   r < E:  r        else:  min(E + ⌊ln(r/E) / ln(distance/E) · (n − E)⌋, n − 1)
//
// Bidirectional: the first half of the buckets is for slots at or before the query, the second half
// for those after it. Otherwise all are for slots at or before the query, and later slots are in
// bucket 0.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed {

struct RelativeBuckets {
  bool is_bidirectional = true;
  int64_t buckets = 32;    // at least 2 each way
  int64_t distance = 128;  // from here on all are in the last bucket

  bool operator==(const RelativeBuckets&) const = default;
};

/// The bucket of slot j seen from query i, offset = j − i. Computed in f32 like T5's, so that the
/// bounds of the buckets are the same.
int32_t relative_bucket(int64_t offset, const RelativeBuckets& how);

/// The bucket of every offset from −m to m, i32 [2m + 1, 1], made once; m is so large that all
/// farther offsets have the buckets of −m and m.
Tensor relative_bucket_table(const RelativeBuckets& how, const Place& place);

/// The buckets of slots 0 … S − 1 seen from queries at `position` […, 1] (whole numbers as floats):
/// i32, one for each of the numel · S pairs, looked up in that table without the host.
Tensor relative_bucket_index(const Tensor& table, const Tensor& position, int64_t slots);

}  // namespace heed
