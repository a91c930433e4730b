#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gemm/interleave.cpp"
#include "heed/backend/cpu/gemm/interleave.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "heed/backend/cpu/gemm/weave.h"
#include "heed/backend/cpu/turn-inl.h"
#include "heed/device/half.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// Transposes dense rows, as many as a register has lanes.
template <class D>
HWY_INLINE void turn_rows(D d, const Slice& s, int64_t first, float* to) {
  constexpr auto rows = static_cast<int64_t>(hn::MaxLanes(d));
  const float* x = s.x.data + first * s.x.row;
  int64_t k = 0;
  for (; k + 4 <= s.k; k += 4) {
    if (k % 16 == 0) {  // the slice after this one
      for (int64_t r = 0; r < rows; ++r) {
        __builtin_prefetch(x + (s.width + r) * s.x.row + k);
      }
    }
    turn_four_columns(d, x + k, s.x.row, to + k * s.width + first, s.width);
  }
  for (; k < s.k; ++k) {
    for (int64_t r = 0; r < rows; ++r) {
      to[k * s.width + first + r] = x[r * s.x.row + k];
    }
  }
}

/// Transposes rows from `first` on, widest registers first; returns the first of the fewer than
/// four that are left.
template <class D>
HWY_INLINE int64_t turn_from(D d, const Slice& s, int64_t first, float* to) {
  constexpr auto rows = static_cast<int64_t>(hn::MaxLanes(d));
  for (; first + rows <= s.rows; first += rows) {
    turn_rows(d, s, first, to);
  }
  if constexpr (rows > 4) {
    first = turn_from(hn::Half<D>(), s, first, to);
  }
  return first;
}

/// Copies column by column; columns are short and may have any stride.
void gather_columns(const Slice& s, int64_t first, float* to) {
  for (int64_t k = 0; k < s.k; ++k) {
    const float* x = s.x.data + first * s.x.row + k * s.x.column;
    float* at = to + k * s.width + first;
    for (int64_t r = 0; r < s.rows - first; ++r) {
      at[r] = x[r * s.x.row];
    }
  }
}

/// For dense columns: whole slices, where each column is read once from end to end.
template <int64_t width>
void copy_columns(const Slice& s, int64_t slices, float* to) {
  for (int64_t k = 0; k < s.k; ++k) {
    const float* x = s.x.data + k * s.x.column;
    float* at = to + k * width;
    for (int64_t i = 0; i < slices; ++i, x += width, at += width * s.padded) {
      std::memcpy(at, x, width * sizeof(float));
    }
  }
  for (int64_t i = 0; i < slices; ++i) {
    std::fill_n(to + (i * s.padded + s.k) * width, (s.padded - s.k) * width, 0.0F);
  }
}

/// Returns false if there is no fast loop for this width.
bool copy_columns(const Slice& s, int64_t slices, float* to) {
  switch (s.width) {
    case 4:
      return copy_columns<4>(s, slices, to), true;
    case 8:
      return copy_columns<8>(s, slices, to), true;
    case 12:
      return copy_columns<12>(s, slices, to), true;
    case 16:
      return copy_columns<16>(s, slices, to), true;
    case 32:
      return copy_columns<32>(s, slices, to), true;
    default:
      return false;
  }
}

void clear_padding(const Slice& s, float* to) {
  for (int64_t k = 0; k < s.k && s.rows < s.width; ++k) {
    std::fill_n(to + k * s.width + s.rows, s.width - s.rows, 0.0F);
  }
  std::fill_n(to + s.k * s.width, (s.padded - s.k) * s.width, 0.0F);
}

void round_plain(const float* from, int64_t n, uint16_t* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = bf16_bits(from[i]);
  }
}

/// Rounded rows one behind the other, followed by zeros.
void round_rows(const Slice& s, Rounding round, uint16_t* to) {
  for (int64_t r = 0; r < s.rows; ++r) {
    const float* x = s.x.data + r * s.x.row;
    uint16_t* row = to + r * s.padded;
    if (s.x.column == 1) {
      round(x, s.k, row);
    } else {
      for (int64_t k = 0; k < s.k; ++k) {
        row[k] = bf16_bits(x[k * s.x.column]);
      }
    }
    std::fill_n(row + s.k, s.padded - s.k, uint16_t{0});
  }
  std::fill_n(to + s.rows * s.padded, (s.width - s.rows) * s.padded, uint16_t{0});
}

/// The same column by column: to [padded, width].
void round_columns(const Slice& s, Rounding round, uint16_t* to) {
  for (int64_t k = 0; k < s.k; ++k) {
    uint16_t* column = to + k * s.width;
    round(s.x.data + k * s.x.column, s.rows, column);
    std::fill_n(column + s.rows, s.width - s.rows, uint16_t{0});
  }
  std::fill_n(to + s.k * s.width, (s.padded - s.k) * s.width, uint16_t{0});
}

/// Columns [padded, width] into groups of `depth`.
template <int64_t depth>
void group_columns(const uint16_t* from, const Slice& s, uint16_t* to) {
  for (int64_t g = 0; g < s.padded / depth; ++g) {
    const uint16_t* columns = from + g * depth * s.width;
    uint16_t* at = to + g * depth * s.width;
#pragma omp simd
    for (int64_t r = 0; r < s.width; ++r) {
      for (int64_t d = 0; d < depth; ++d) {
        at[r * depth + d] = columns[d * s.width + r];
      }
    }
  }
}

using Eight = uint16_t __attribute__((vector_size(16)));

/// Transposes eight by eight in registers: each round interleaves the first half with the second.
void turn_eight(const uint16_t* from, int64_t from_row, uint16_t* to, int64_t to_row) {
  std::array<Eight, 8> x;
  std::array<Eight, 8> y;
  for (size_t i = 0; i < 8; ++i) {
    std::memcpy(&x[i], from + static_cast<int64_t>(i) * from_row, sizeof(Eight));
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (size_t i = 0; i < 4; ++i) {
      y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    x = y;
  }
  for (size_t i = 0; i < 8; ++i) {
    std::memcpy(to + static_cast<int64_t>(i) * to_row, &x[i], sizeof(Eight));
  }
}

/// Columns [padded, width] into whole rows [width, padded].
void turn_columns(const uint16_t* from, const Slice& s, uint16_t* to) {
  const int64_t whole_k = s.padded / 8 * 8;
  const int64_t whole_width = s.width / 8 * 8;
  for (int64_t r = 0; r < whole_width; r += 8) {
    for (int64_t k = 0; k < whole_k; k += 8) {
      turn_eight(from + k * s.width + r, s.width, to + r * s.padded + k, s.padded);
    }
  }
  for (int64_t r = 0; r < s.width; ++r) {
    for (int64_t k = r < whole_width ? whole_k : 0; k < s.padded; ++k) {
      to[r * s.padded + k] = from[k * s.width + r];
    }
  }
}

/// For an x with dense columns.
void interleave_columns(const Slice& s, Rounding round, uint16_t* to) {
  if (s.depth == 1) {
    return round_columns(s, round, to);
  }
  auto* columns = static_cast<uint16_t*>(rows_to_weave(4 * s.width * s.padded));
  round_columns(s, round, columns);
  if (s.depth == 2) {
    group_columns<2>(columns, s, to);
  } else if (s.depth == 4) {
    group_columns<4>(columns, s, to);
  } else {
    uint16_t* rows = columns + s.width * s.padded;
    turn_columns(columns, s, rows);
    weave(rows, s, sizeof(uint16_t), to);
  }
}

}  // namespace

void interleave_one(const Slice& slice, float* to) {
  const Slice& s = slice;
  clear_padding(s, to);
  if (s.width == 1 && s.x.column == 1) {
    std::copy_n(s.x.data, s.k, to);
    return;
  }
  const bool turns = s.x.column == 1 && s.rows >= 4;
  gather_columns(s, turns ? turn_from(hn::ScalableTag<float>(), s, 0, to) : 0, to);
}

void interleave_many(const Slice& slices, float* to) {
  const Slice& s = slices;
  int64_t done = 0;
  if (const int64_t whole = s.rows / s.width; s.x.row == 1 && copy_columns(s, whole, to)) {
    done = whole * s.width;
  }
  for (; done < s.rows; done += s.width) {
    Slice next = s;
    next.x = s.x.at(done, 0);
    next.rows = std::min(s.width, s.rows - done);
    interleave_one(next, to + done * s.padded);
  }
}

void interleave_halves(const Slice& slice, Rounding round, uint16_t* to) {
  const Slice& s = slice;
  const Rounding by = round != nullptr ? round : round_plain;
  if (s.x.row == 1 && s.x.column != 1) {
    return interleave_columns(s, by, to);
  }
  auto* rows = static_cast<uint16_t*>(rows_to_weave(2 * s.width * s.padded));
  round_rows(s, by, rows);
  weave(rows, s, sizeof(uint16_t), to);
}

void round_in_place(float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    x[i] = float_of_bf16(bf16_bits(x[i]));
  }
}

void widen_halves(const uint16_t* from, int64_t n, float* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i]) << 16);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(interleave_one);
HWY_EXPORT(interleave_many);
HWY_EXPORT(interleave_halves);
HWY_EXPORT(round_in_place);
HWY_EXPORT(widen_halves);

void interleave(const Slice& slice, float* to) { HWY_DYNAMIC_DISPATCH(interleave_one)(slice, to); }

void interleave_all(const Slice& slices, float* to) {
  HWY_DYNAMIC_DISPATCH(interleave_many)(slices, to);
}

void interleave_bf16(const Slice& slice, Rounding round, uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(interleave_halves)(slice, round, to);
}

void interleave_rounded(const Slice& slice, const TileKernel& kernel, void* to) {
  if (kernel.rows == Element::bf16) {
    interleave_bf16(slice, kernel.round, static_cast<uint16_t*>(to));
  } else {
    auto* floats = static_cast<float*>(to);
    interleave(slice, floats);
    round_to_bf16(floats, slice.width * slice.padded);
  }
}

void round_to_bf16(float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(round_in_place)(x, n); }

void widen(const uint16_t* from, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_halves)(from, n, to);
}

}  // namespace heed::cpu
#endif
