// Typed rows, one behind the other, brought side by side group of k by group of k.
#pragma once

#include <cstdint>

#include "heed/backend/cpu/gemm/interleave.h"

namespace heed::cpu {

/// to [padded / depth, width, depth] ← from [width, padded], of elements of so many bytes.
void weave(const void* from, const Slice& slice, int64_t element_bytes, void* to);

/// Room for such rows, this thread's, kept: products must not allocate.
void* rows_to_weave(int64_t bytes);

}  // namespace heed::cpu
