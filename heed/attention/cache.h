// A cache is a Memory [M, G, S, d] with room for more slots than are in use. One call of the
// backend writes all its rows, and one call reorders them. The slot that a row writes and the row
// that it continues are tensors, so the host never waits for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/attention.h"

namespace heed {

/// Writes `fresh` [M, G, 1, d], row m to slot at.number[m]. A full cache is doubled, but only up to
/// `most` slots unless more are needed.
void write_slot(Memory& cache, const Memory& fresh, const RowPositions& at, int64_t most);

/// The memory that a cache lies in. It may have more rows than are in use, so that more rows cost only
/// themselves; it is replaced where it is too small.
struct CacheRoom {
  Memory memory;
  std::vector<int32_t> stale;  // how many slots each row behind those in use has that are not 0
};

/// Row q becomes what row parent[q] was (i32 [Q]); the number of rows may change. `used[m]` slots of row m
/// are in use.
void reorder_cache(Memory& cache, CacheRoom& room, const Tensor& parent,
                   std::span<const int32_t> used);

/// Adds this many empty rows behind the present ones. Only slots that are not 0 are written.
void add_cache_rows(Memory& cache, CacheRoom& room, int64_t rows, std::span<const int32_t> used);

/// The same slots in memory of its own.
Memory copy_of_cache(const Memory& cache);

}  // namespace heed
