// Interleaves rows of typed elements: for each group of k, the rows side by side.
#pragma once

#include <cstdint>

#include "heed/backend/cpu/gemm/interleave.h"

namespace heed::cpu {

/// to [padded / depth, width, depth] ← from [width, padded], with elements of this size.
void weave(const void* from, const Slice& slice, int64_t element_bytes, void* to);

/// This thread's memory for such rows. It is kept, because products must not allocate.
void* rows_to_weave(int64_t bytes);

}  // namespace heed::cpu
