// The result of a packed product's tile from its sums:
//
//   out[r, c] (+)= f(s_r s_c (sum[r, c] − 128 Σ_k b[c, k]) + bias[c])
//
// Only whole numbers have scales, and only rows that were stored as u8 need the correction.
#pragma once

#include <cstdint>

#include "heed/device/kernel/packed.h"

namespace heed::cpu {

struct Finish {
  int64_t columns = 0;            // of the tile
  int64_t width = 0;              // the number of columns that are wanted
  float scale = 1;                // of all results
  const float* scales = nullptr;  // s_c; with them sums are i32, else f32
  const int32_t* totals = nullptr;
  const float* bias = nullptr;
  AfterProduct after = AfterProduct::nothing;
  bool adds = false;
  int64_t out_row = 0;
  int64_t out_column = 0;

  /// Whether the sums are the result, so that tiles may write them there.
  bool is_nothing() const {
    return scales == nullptr && bias == nullptr && !adds && scale == 1 &&
           after == AfterProduct::nothing && out_column == 1 && width == columns;
  }
};

/// sums [rows, columns] are dense; row_scales are s_r, for whole numbers.
struct FinishRows {
  const void* sums;
  int64_t rows;
  const float* row_scales;
  float* out;
};

void finish(const Finish& how, const FinishRows& tile);
/// x ← f(x)
void finish_in_place(AfterProduct f, float* x, int64_t n);

}  // namespace heed::cpu
