#include "heed/backend/cpu/gemm/interleave.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "heed/backend/cpu/lanes.h"

namespace heed::cpu {
namespace {

using Vector = Lanes<float>;

/// Four rows, whose elements lie dense: four columns of the result at a time.
void turn_four_rows(const Slice& s, int64_t first, float* to) {
  const float* x = s.x.data + first * s.x.row;
  int64_t k = 0;
  for (; k + 4 <= s.k; k += 4) {
    if (k % 16 == 0) {  // the slice after this one
      for (int64_t r = 0; r < 4; ++r) {
        __builtin_prefetch(x + (s.width + r) * s.x.row + k);
      }
    }
    const Vector a = load(x + k);
    const Vector b = load(x + s.x.row + k);
    const Vector c = load(x + 2 * s.x.row + k);
    const Vector d = load(x + 3 * s.x.row + k);
    const Vector ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Vector ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Vector cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Vector cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    float* at = to + k * s.width + first;
    store(at, Vector(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5)));
    store(at + s.width, Vector(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)));
    store(at + 2 * s.width, Vector(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5)));
    store(at + 3 * s.width, Vector(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)));
  }
  for (; k < s.k; ++k) {
    for (int64_t r = 0; r < 4; ++r) {
      to[k * s.width + first + r] = x[r * s.x.row + k];
    }
  }
}

/// Column by column: each is short, and lies dense or anyhow.
void gather_columns(const Slice& s, int64_t first, float* to) {
  for (int64_t k = 0; k < s.k; ++k) {
    const float* x = s.x.data + first * s.x.row + k * s.x.column;
    float* at = to + k * s.width + first;
    for (int64_t r = 0; r < s.rows - first; ++r) {
      at[r] = x[r * s.x.row];
    }
  }
}

/// Rows lie dense column by column: whole slices, each column read once from end to end.
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

/// False where this width has no fast way.
bool copy_columns(const Slice& s, int64_t slices, float* to) {
  switch (s.width) {
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

/// Typed rows [width, padded], one behind the other, into groups.
template <class Chunk>
void weave(const void* from, int64_t width, int64_t groups, void* to) {
  const auto* rows = static_cast<const Chunk*>(from);
  auto* at = static_cast<Chunk*>(to);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t r = 0; r < width; ++r) {
      *at++ = rows[r * groups + g];
    }
  }
}

void weave(const void* from, const Slice& s, int64_t bytes_of_group, void* to) {
  const int64_t groups = s.padded / s.depth;
  switch (bytes_of_group) {
    case 1:
      return weave<uint8_t>(from, s.width, groups, to);
    case 2:
      return weave<uint16_t>(from, s.width, groups, to);
    case 4:
      return weave<uint32_t>(from, s.width, groups, to);
    default:
      return weave<uint64_t>(from, s.width, groups, to);
  }
}

/// Rows of this thread, before they are woven.
template <class T>
T* scratch(int64_t n) {
  thread_local std::vector<uint64_t> storage;
  const size_t words = static_cast<size_t>(n) * sizeof(T) / sizeof(uint64_t) + 1;
  storage.resize(std::max(storage.size(), words));
  return reinterpret_cast<T*>(storage.data());
}

void round_plain(const float* from, int64_t n, uint16_t* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = bf16_of(from[i]);
  }
}

/// Rows one behind the other, with zeros behind them.
void round_rows(const Slice& s, Rounding round, uint16_t* to) {
  for (int64_t r = 0; r < s.rows; ++r) {
    const float* x = s.x.data + r * s.x.row;
    uint16_t* row = to + r * s.padded;
    if (s.x.column == 1) {
      round(x, s.k, row);
    } else {
      for (int64_t k = 0; k < s.k; ++k) {
        row[k] = bf16_of(x[k * s.x.column]);
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

/// Eight by eight through registers: in each turn the first half is woven into the second.
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

/// Where x lies dense column by column; false where groups are so deep that rows are the way.
bool interleave_columns(const Slice& s, Rounding round, uint16_t* to) {
  if (s.depth != s.padded && s.depth > 4) {
    return false;
  }
  if (s.depth == 1) {
    round_columns(s, round, to);
    return true;
  }
  auto* columns = scratch<uint16_t>(s.width * s.padded);
  round_columns(s, round, columns);
  if (s.depth == s.padded) {
    turn_columns(columns, s, to);
  } else if (s.depth == 2) {
    group_columns<2>(columns, s, to);
  } else {
    group_columns<4>(columns, s, to);
  }
  return true;
}

/// max |x| / 127, NaN where some x is not finite. Found among whole numbers, in whose order bits of
/// floats without a sign lie, infinity and NaN above all: unlike floats' their maximum needs no
/// care.
float scale_of(const float* x, int64_t n, int64_t step) {
  const auto size = [](float value) { return std::bit_cast<int32_t>(value) & 0x7FFFFFFF; };
  int32_t most = 0;
  if (step == 1) {
#pragma omp simd reduction(max : most)
    for (int64_t k = 0; k < n; ++k) {
      most = std::max(most, size(x[k]));
    }
  } else {
    for (int64_t k = 0; k < n; ++k) {
      most = std::max(most, size(x[k * step]));
    }
  }
  const auto largest = std::bit_cast<float>(most);
  return largest / 127.0F + 0.0F * largest;
}

/// ⌊x + ½⌋ for |x| < 128: the cast cuts off towards zero, so it is done above zero. What is no
/// number becomes some number: its row's scale is none either.
int32_t whole(float x) {
  return static_cast<int32_t>(std::max(0.0F, std::min(x + 128.5F, 256.0F))) - 128;
}

template <class T>
int32_t quantise_row(const float* x, const Slice& s, float scale, int32_t offset, T* to) {
  const float inverse = scale > 0 ? 1.0F / scale : 0.0F;  // NaN gives zeros, times NaN
  int32_t sum = 0;
  if (s.x.column == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < s.k; ++k) {
      const int32_t q = whole(x[k] * inverse);
      sum += q;
      to[k] = static_cast<T>(q + offset);
    }
  } else {
    for (int64_t k = 0; k < s.k; ++k) {
      const int32_t q = whole(x[k * s.x.column] * inverse);
      sum += q;
      to[k] = static_cast<T>(q + offset);
    }
  }
  std::fill_n(to + s.k, s.padded - s.k, static_cast<T>(offset));
  return sum;
}

template <class T>
void quantise(const Slice& s, int32_t offset, float* scales, int32_t* sums, T* to) {
  const bool lies_whole = s.depth == s.padded;
  T* rows = lies_whole ? to : scratch<T>(s.width * s.padded);
  for (int64_t r = 0; r < s.width; ++r) {
    int32_t sum = 0;
    scales[r] = 0;
    if (r < s.rows) {
      const float* x = s.x.data + r * s.x.row;
      scales[r] = scale_of(x, s.k, s.x.column);
      sum = quantise_row(x, s, scales[r], offset, rows + r * s.padded);
    } else {
      std::fill_n(rows + r * s.padded, s.padded, static_cast<T>(offset));
    }
    if (sums != nullptr) {
      sums[r] = sum;
    }
  }
  if (!lies_whole) {
    weave(rows, s, s.depth * static_cast<int64_t>(sizeof(T)), to);
  }
}

}  // namespace

void interleave(const Slice& slice, float* to) {
  const Slice& s = slice;
  clear_padding(s, to);
  if (s.width == 1 && s.x.column == 1) {
    std::copy_n(s.x.data, s.k, to);
  } else if (s.x.column == 1) {
    int64_t first = 0;
    for (; first + 4 <= s.rows; first += 4) {
      turn_four_rows(s, first, to);
    }
    gather_columns(s, first, to);
  } else {
    gather_columns(s, 0, to);
  }
}

void interleave_all(const Slice& slices, float* to) {
  const Slice& s = slices;
  int64_t done = 0;
  if (const int64_t whole = s.rows / s.width; s.x.row == 1 && copy_columns(s, whole, to)) {
    done = whole * s.width;
  }
  for (; done < s.rows; done += s.width) {
    Slice next = s;
    next.x = s.x.at(done, 0);
    next.rows = std::min(s.width, s.rows - done);
    interleave(next, to + done * s.padded);
  }
}

void interleave_bf16(const Slice& slice, Rounding round, uint16_t* to) {
  const Slice& s = slice;
  const Rounding by = round != nullptr ? round : round_plain;
  if (s.x.row == 1 && s.x.column != 1 && interleave_columns(s, by, to)) {
    return;
  }
  if (s.depth == s.padded) {
    round_rows(s, by, to);
    return;
  }
  auto* rows = scratch<uint16_t>(s.width * s.padded);
  round_rows(s, by, rows);
  weave(rows, s, s.depth * static_cast<int64_t>(sizeof(uint16_t)), to);
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

void interleave_whole(const Slice& slice, Element element, float* scales, int32_t* sums, void* to) {
  if (element == Element::i16) {
    quantise(slice, 0, scales, sums, static_cast<int16_t*>(to));
  } else if (element == Element::u8) {
    quantise(slice, 128, scales, sums, static_cast<uint8_t*>(to));
  } else {
    quantise(slice, 0, scales, sums, static_cast<int8_t*>(to));
  }
}

void round_to_bf16(float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    x[i] = std::bit_cast<float>(static_cast<uint32_t>(bf16_of(x[i])) << 16);
  }
}

void widen(const uint16_t* from, int64_t n, float* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i]) << 16);
  }
}

}  // namespace heed::cpu
