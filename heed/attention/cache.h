// A cache is a Memory [M, G, S, d] with room for more slots than are in use. All its rows are written
// by one call of the backend and reordered by one, whatever their number; which slot a row writes and
// which row it goes on from are tensors, so the host never waits for them.
#pragma once

#include "heed/attention/attention.h"

namespace heed {

/// Writes `fresh` [M, G, 1, d], row m to slot at.number[m]; makes room by doubling, but no more than
/// `most` slots unless they are needed.
void write_slot(Memory& cache, const Memory& fresh, const RowPositions& at, int64_t most);

/// Row q becomes row parent[q] (i32 [Q]); their number may change. The first `used` slots count.
void reorder_cache(Memory& cache, const Tensor& parent, int64_t used);

/// So many empty rows behind those there are.
void add_cache_rows(Memory& cache, int64_t rows);

}  // namespace heed
