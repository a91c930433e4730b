// Rows by index. Scattered rows are added in stripes of columns. Each stripe takes the rows in the
// order of n, so the sums do not depend on the threads.
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/primitives.h"

namespace heed::cpu {
namespace {

/// An index, and who follows it into how many rows. A wrong one counts as −1.
class RowIndex {
 public:
  RowIndex(const View& index, int64_t rows, Indexed who, IndexFaults& faults)
      : index_(index), rows_(rows), who_(who), faults_(faults) {}
  int64_t at(int64_t b, int64_t n) const {
    const int64_t row = index_.as<int32_t>()[b * index_.strides[0] + n * index_.strides[1]];
    return checked_index(row, -1, rows_, who_, faults_, -1);
  }

 private:
  const View& index_;
  int64_t rows_;
  Indexed who_;
  IndexFaults& faults_;
};

template <class T>
void gather_rows(const View& out, const View& table, const RowIndex& index) {
  const int64_t count = out.shape[1];
  const int64_t width = out.shape[2];
  const int64_t step = units_per_chunk(width);
  each_range(out.shape[0] * count, step, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / count;
      const int64_t n = i % count;
      const int64_t row = index.at(b, n);
      T* to = out.as<T>() + b * out.strides[0] + n * out.strides[1];
      const T* from =
          table.as<T>() + b * table.strides[0] + std::max<int64_t>(row, 0) * table.strides[1];
      if (row >= 0 && out.strides[2] == 1 && table.strides[2] == 1) {
        std::copy_n(from, width, to);
        continue;
      }
      for (int64_t d = 0; d < width; ++d) {
        to[d * out.strides[2]] = row < 0 ? T(0) : from[d * table.strides[2]];
      }
    }
  });
}

template <class T>
void add_row(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
#pragma omp simd
    for (int64_t d = 0; d < count; ++d) {
      to[d] += from[d];
    }
    return;
  }
  for (int64_t d = 0; d < count; ++d) {
    to[d * to_stride] += from[d * from_stride];
  }
}

template <class T>
void scatter_rows(const View& out, const View& source, const RowIndex& index) {
  constexpr int64_t narrowest = 64;  // columns of a stripe: whole cache lines
  const int64_t count = source.shape[1];
  const int64_t width = source.shape[2];
  const int64_t stripe = std::max(narrowest, units_per_chunk(count));
  const int64_t stripes = pieces_of(width, stripe);
  const int64_t units = source.shape[0] * stripes;
  each_range(
      units, units_per_chunk(count * std::min(width, stripe)), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t b = unit / stripes;
          const int64_t first = unit % stripes * stripe;
          T* to = out.as<T>() + b * out.strides[0] + first * out.strides[2];
          const T* from = source.as<T>() + b * source.strides[0] + first * source.strides[2];
          for (int64_t n = 0; n < count; ++n) {
            const int64_t row = index.at(b, n);
            if (row >= 0) {
              add_row(to + row * out.strides[1], out.strides[2], from + n * source.strides[1],
                      source.strides[2], std::min(stripe, width - first));
            }
          }
        }
      });
}

}  // namespace

void gather(const View& out, const View& table, const View& index, IndexFaults& faults) {
  const RowIndex rows(index, table.shape[1], Indexed::gather, faults);
  switch (bytes_of(out.dtype)) {  // elements are only moved, and zero has no bits in any type
    case 1:
      return gather_rows<uint8_t>(out, table, rows);
    case 2:
      return gather_rows<uint16_t>(out, table, rows);
    default:
      return gather_rows<int32_t>(out, table, rows);
  }
}

void scatter_add(const View& out, const View& source, const View& index, IndexFaults& faults) {
  const RowIndex rows(index, out.shape[1], Indexed::scatter_add, faults);
  out.dtype == DType::i32 ? scatter_rows<int32_t>(out, source, rows)
                          : scatter_rows<float>(out, source, rows);
}

}  // namespace heed::cpu
