// Copies rows of a matrix into the order in which tiles read them: for each group of k, the rows
// side by side.
#pragma once

#include <cstdint>

#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/gemm/tile.h"

namespace heed::cpu {

struct Slice {
  Matrix x;            // starts at the first row
  int64_t rows = 0;    // present rows
  int64_t k = 0;       // present columns
  int64_t padded = 0;  // k with padding
  int64_t width = 0;   // rows with padding
  int64_t depth = 1;   // of a group
};

/// to [padded, width] ← xᵀ
void interleave(const Slice& slice, float* to);
/// The same for more rows than `width`, one slice behind the other.
void interleave_all(const Slice& slices, float* to);
/// to [padded / depth, width, depth] ← x rounded to bf16, by `round` or, if that is null, by loops
void interleave_bf16(const Slice& slice, Rounding round, uint16_t* to);
/// The same in the element type that a bf16 kernel multiplies: bf16, or rounded f32.
void interleave_rounded(const Slice& slice, const TileKernel& kernel, void* to);
/// The same in whole numbers, i8, u8 (with 128 added) or i16:
///   scales[r] = max_k |x[r, k]| / 127,  to ← ⌊x / scale + ½⌋
/// Writes `width` scales and, if `sums` is not null, Σ_k of every row's whole numbers.
void interleave_whole(const Slice& slice, Element element, float* scales, int32_t* sums, void* to);

/// x ← x rounded to bf16
void round_to_bf16(float* x, int64_t n);
/// to ← from
void widen(const uint16_t* from, int64_t n, float* to);

}  // namespace heed::cpu
