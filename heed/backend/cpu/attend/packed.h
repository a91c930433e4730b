// Slots of keys or values in the order that products need: transposed in chunks, or dense.
#pragma once

#include <algorithm>
#include <cstring>

#include "heed/backend/cpu/attend/products.h"
#include "heed/backend/cpu/attend/scratch.h"

namespace heed::cpu {

/// Up to this many rows, scores are dot products of unpacked keys; more rows are worth packing for.
inline constexpr int64_t few_query_rows = 16;
inline constexpr int64_t slots_a_block = 128;

inline TileRows copied(TileRows from, int64_t rows, int64_t width, float* to) {
  const TileRows dense{to, width};
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(dense[i], from[i], static_cast<size_t>(width) * sizeof(float));
  }
  return dense;
}

/// Copies rows [first, first + count) one behind the other, with the same numbers, because rows far
/// apart would fall into few sets of the cache.
inline TileRows dense_rows(TileRows rows, int64_t first, int64_t count, int64_t width,
                           Scratch use) {
  if (rows.stride == width) {
    return rows;
  }
  const TileRows dense = copied(rows.from(first), count, width, scratch(use, count * width));
  return {dense.data - first * width, width};
}

/// Rows x [slot, width] of some slots, for products a xᵀ; transposed in chunks where that is
/// faster.
class SlotRows {
 public:
  SlotRows() = default;
  SlotRows(TileRows rows, int64_t width) : rows_(rows), width_(width) {}

  /// Transposes slots [first, first + count).
  void pack(int64_t first, int64_t count, Scratch use) {
    first_ = first;
    const int64_t chunks = (count + slots_a_block - 1) / slots_a_block;
    packed_ = scratch(use, chunks * chunk_size());
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const int64_t slot = chunk * slots_a_block;
      transpose(chunk_at(chunk), rows_.from(first + slot), std::min(slots_a_block, count - slot),
                width_);
    }
  }

  /// c[m, slots] ← a[m, width] xᵀ for the slots from `slot` on.
  void multiply(TileRows a, int64_t m, int64_t slot, int64_t slots, TileRows c) const {
    if (packed_ == nullptr) {
      multiply_dots({m, slots, width_, a, rows_.from(slot), c});
      return;
    }
    for (int64_t done = 0; done < slots;) {
      const int64_t at = slot + done - first_;
      const int64_t inside = at % slots_a_block;
      const int64_t count = std::min(slots - done, slots_a_block - inside);
      TileRows b = chunk_at(at / slots_a_block);
      b.data += inside;
      multiply_rows({m, count, width_, a, b, {c.data + done, c.stride}});
      done += count;
    }
  }

 private:
  static constexpr int64_t chunk_stride = slots_a_block + 16;  // spreads lines over cache sets
  int64_t chunk_size() const { return width_ * chunk_stride; }
  TileRows chunk_at(int64_t chunk) const { return {packed_ + chunk * chunk_size(), chunk_stride}; }

  TileRows rows_;
  int64_t width_ = 0;
  float* packed_ = nullptr;
  int64_t first_ = 0;
};

}  // namespace heed::cpu
