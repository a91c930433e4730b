// The primitives of a decoder's caches: iota, writing one slot a row, and reordering rows.
//
// Rows are reordered in place, because most of a beam's rows stay where they are. A row is
// overwritten only after all rows that read it have been written. Rows that read each other in a
// cycle use a copy of the first. Stripes of columns are processed in parallel.
#include <cstring>
#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"
#include "heed/device/kernel/slots.h"

namespace heed::cpu {
namespace {

// Elements are only moved, and all types of this backend have four bytes.
using Element = int32_t;

void copy_elements(Element* to, int64_t to_stride, const Element* from, int64_t from_stride,
                   int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(Element));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i * to_stride] = from[i * from_stride];
  }
}

constexpr int32_t spare = -1;  // the row that is copied aside

struct Move {
  int32_t to;
  int32_t from;
};

/// The moves, in an order that reads every row before it is overwritten.
class Plan {
 public:
  /// A row with a wrong parent stays.
  Plan(const View& parent, int64_t rows, IndexFaults& faults)
      : readers_(static_cast<size_t>(rows), 0) {
    for (int64_t q = 0; q < parent.shape[0]; ++q) {
      const auto from = static_cast<int32_t>(checked_index(
          parent.as<int32_t>()[q * parent.strides[0]], 0, rows, Indexed::reorder_rows, faults, q));
      parent_.push_back(from);
      readers_[from] += from != q ? 1 : 0;
    }
    for (size_t q = 0; q < parent_.size(); ++q) {
      follow(static_cast<int32_t>(q));
    }
    for (size_t q = 0; q < parent_.size(); ++q) {
      if (moves_on(static_cast<int32_t>(q))) {
        turn(static_cast<int32_t>(q));
      }
    }
  }
  const std::vector<Move>& moves() const { return moves_; }

 private:
  bool moves_on(int32_t row) const {
    return row < static_cast<int32_t>(parent_.size()) && parent_[row] != row;
  }
  /// Writes `row` if no other row will read it, then the row it was read from if possible, and so
  /// on.
  void follow(int32_t row) {
    while (moves_on(row) && readers_[row] == 0) {
      const int32_t from = parent_[row];
      write(row, from);
      --readers_[from];
      row = from;
    }
  }
  /// Writes the cycle that `first` is in.
  void turn(int32_t first) {
    moves_.push_back({spare, first});
    int32_t row = first;
    while (parent_[row] != first) {
      const int32_t from = parent_[row];
      write(row, from);
      row = from;
    }
    write(row, spare);
  }
  void write(int32_t row, int32_t from) {
    moves_.push_back({row, from});
    parent_[row] = row;
  }

  std::vector<int32_t> parent_;
  std::vector<int32_t> readers_;
  std::vector<Move> moves_;
};

}  // namespace

void iota(const View& to) {
  const int last = to.rank() - 1;
  View starts = to;
  starts.shape[last] = 1;
  const Segments<1> segments = segments_of<1>({starts});
  each_segment(segments, 0, segments.count(), [&](const Offsets<1>& at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = at[0] + i * segments.inner[0];
      for (int64_t j = 0; j < to.shape[last]; ++j) {
        if (to.dtype == DType::i32) {
          to.as<int32_t>()[begin + j * to.strides[last]] = static_cast<int32_t>(j);
        } else {
          to.as<float>()[begin + j * to.strides[last]] = static_cast<float>(j);
        }
      }
    }
  });
}

void write_slots(const View& to, const View& rows, const View& at, IndexFaults& faults) {
  const int64_t groups = rows.shape[1];
  const int64_t width = rows.shape[2];
  each_range(rows.shape[0], units_per_chunk(groups * width), [&](int64_t begin, int64_t end) {
    for (int64_t q = begin; q < end; ++q) {
      const int64_t slot = checked_index(at.as<int32_t>()[q * at.strides[0]], 0, to.shape[2],
                                         Indexed::write_slots, faults, -1);
      if (slot < 0) {
        continue;
      }
      for (int64_t g = 0; g < groups; ++g) {
        copy_elements(
            to.as<Element>() + q * to.strides[0] + g * to.strides[1] + slot * to.strides[2],
            to.strides[3], rows.as<Element>() + q * rows.strides[0] + g * rows.strides[1],
            rows.strides[2], width);
      }
    }
  });
}

void reorder_rows(const View& rows, const View& parent, IndexFaults& faults) {
  constexpr int64_t stripe = 2048;  // columns that one thread moves at a time
  const Plan plan(parent, rows.shape[0], faults);
  const int64_t width = rows.shape[2];
  const int64_t stripes = pieces_of(width, stripe);
  const auto moves = static_cast<int64_t>(plan.moves().size());
  if (moves == 0 || width == 0) {
    return;
  }
  const int64_t cost = moves * std::min(width, stripe);
  each_range(rows.shape[1] * stripes, units_per_chunk(cost), [&](int64_t begin, int64_t end) {
    std::vector<Element> aside(static_cast<size_t>(std::min(width, stripe)));
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % stripes * stripe;
      const int64_t count = std::min(stripe, width - first);
      Element* base =
          rows.as<Element>() + unit / stripes * rows.strides[1] + first * rows.strides[2];
      for (const Move& move : plan.moves()) {
        const auto at = [&](int32_t row) {
          return row == spare ? aside.data() : base + row * rows.strides[0];
        };
        const auto step = [&](int32_t row) { return row == spare ? 1 : rows.strides[2]; };
        copy_elements(at(move.to), step(move.to), at(move.from), step(move.from), count);
      }
    }
  });
}

bool write_each_slots(Backend& backend, const WriteEachSlots& call) {
  for (const SlotWrite& write : call.writes) {
    backend.write_slots(write.to, write.rows, call.at);
  }
  return true;
}

}  // namespace heed::cpu
