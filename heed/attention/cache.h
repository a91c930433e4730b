// A cache is a Memory [M, G, S, d] with room for more slots than are in use. One call of the
// backend writes all its rows, and one call reorders them. The slot that a row writes and the row
// that it continues are tensors, so the host never waits for them.
#pragma once

#include "heed/attention/attention.h"

namespace heed {

/// Writes `fresh` [M, G, 1, d], row m to slot at.number[m]. A full cache is doubled, but only up to
/// `most` slots unless more are needed.
void write_slot(Memory& cache, const Memory& fresh, const RowPositions& at, int64_t most);

/// Row q becomes what row parent[q] was (i32 [Q]); the number of rows may change. Only the first
/// `used` slots are kept. `room` is the memory that the cache lies in, which may have more rows than
/// are in use, so that more rows cost only themselves; it is replaced where it is too small.
void reorder_cache(Memory& cache, Memory& room, const Tensor& parent, int64_t used);

/// Adds this many empty rows behind the present ones.
void add_cache_rows(Memory& cache, Memory& room, int64_t rows, int64_t used);

/// The same slots in memory of its own.
Memory copy_of_cache(const Memory& cache);

}  // namespace heed
