// One head of the views that describe attention.
#pragma once

#include <algorithm>
#include <cmath>

#include "heed/backend/cpu/attend/tiles.h"

namespace heed::cpu {

/// [M, G, P, R, width] → rows of one head; not there where the view is not.
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

/// A whole number of slots, from a float that may lie outside [0, slots]; none from NaN.
inline int64_t slot_number(float x, int64_t slots) {
  const float inside = std::min(std::max(0.0F, x), static_cast<float>(slots));
  return static_cast<int64_t>(std::ceil(inside));
}

/// Slots begin ≤ j < end.
struct SlotRange {
  int64_t begin;
  int64_t end;

  bool empty() const { return begin >= end; }
  /// The least range that holds both.
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

/// What each row of a head may see.
class RowRanges {
 public:
  RowRanges(const AttendWhere& where, const HeadOf& at, int64_t slots)
      : lo_(head_rows(where.lo, at)), hi_(head_rows(where.hi, at)), slots_(slots) {}

  SlotRange operator[](int64_t row) const {
    const SlotRange range{slot_number(*lo_[row], slots_), slot_number(*hi_[row], slots_)};
    return range.empty() ? SlotRange{0, 0} : range;
  }
  /// How many of some rows need to be asked: one stands for all where they share their ranges.
  int64_t distinct(int64_t rows) const {
    return lo_.stride == 0 && hi_.stride == 0 ? std::min<int64_t>(1, rows) : rows;
  }
  /// The least range that holds those of some rows.
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
