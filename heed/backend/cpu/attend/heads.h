// One head of the views that describe attention.
#pragma once

#include <algorithm>
#include <cmath>

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

/// [M, G, P, R, width] → rows of one head; null if the view has no data.
inline TileRows head_rows(const View& view, const HeadOf& at) {
  if (view.data == nullptr) {
    return {};
  }
  const Strides& by = view.strides;
  return {view.as<float>() + at.memory * by[0] + at.group * by[1] + at.head * by[2], by[3]};
}

/// [M, G, S, width] → slots of one key/value head.
inline TileRows group_rows(const View& view, const HeadOf& at) {
  if (view.data == nullptr) {
    return {};
  }
  return {view.as<float>() + at.memory * view.strides[0] + at.group * view.strides[1],
          view.strides[2]};
}

/// A number of slots from a float, limited to [0, slots]; 0 for NaN.
inline int64_t slot_number(float x, int64_t slots) {
  const float inside = std::min(std::max(0.0F, x), static_cast<float>(slots));
  return static_cast<int64_t>(std::ceil(inside));
}

/// Slots begin ≤ j < end.
struct SlotRange {
  int64_t begin;
  int64_t end;

  bool empty() const { return begin >= end; }
  /// The smallest range that contains both.
  SlotRange joined(const SlotRange& other) const {
    if (empty() || other.empty()) {
      return empty() ? other : *this;
    }
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  SlotRange clipped(int64_t from, int64_t to) const {
    return {std::max(begin, from), std::min(end, to)};
  }
  bool operator==(const SlotRange& other) const = default;
};

/// The slots that each row of a head may see.
class RowRanges {
 public:
  RowRanges(const AttendWhere& where, const HeadOf& at, int64_t slots)
      : lo_(head_rows(where.lo, at)), hi_(head_rows(where.hi, at)), slots_(slots) {}

  SlotRange operator[](int64_t row) const {
    const SlotRange range{slot_number(*lo_[row], slots_), slot_number(*hi_[row], slots_)};
    return range.empty() ? SlotRange{0, 0} : range;
  }
  /// How many of these rows have their own ranges: one if all rows share theirs.
  int64_t distinct(int64_t rows) const {
    return lo_.stride == 0 && hi_.stride == 0 ? std::min<int64_t>(1, rows) : rows;
  }
  /// The smallest range that contains those of these rows.
  SlotRange joined(int64_t row, int64_t rows) const {
    SlotRange all{0, 0};
    for (int64_t r = row; r < row + distinct(rows); ++r) {
      all = all.joined((*this)[r]);
    }
    return all;
  }

 private:
  TileRows lo_;
  TileRows hi_;
  int64_t slots_;
};

}  // namespace heed::cpu
