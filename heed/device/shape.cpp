#include "heed/device/shape.h"

namespace heed {

void Shape::refuse(int64_t length) const {
  require(rank_ < max_rank, "shape: saw more than {} axes", int{max_rank});
  fail("shape: saw an axis of length {}, needs 0 or more", length);
}

Shape& Shape::insert(int axis, int64_t length) {
  if (rank_ == max_rank || length < 0) {
    refuse(length);
  }
  std::move_backward(lengths_.begin() + axis, lengths_.begin() + rank_,
                     lengths_.begin() + rank_ + 1);
  lengths_[axis] = length;
  ++rank_;
  return *this;
}

Shape& Shape::erase(int axis) {
  std::move(lengths_.begin() + axis + 1, lengths_.begin() + rank_, lengths_.begin() + axis);
  --rank_;
  return *this;
}

Shape Shape::with(int axis, int64_t length) const {
  Shape other = *this;
  other[axis] = length;
  return other;
}

int checked_axis(int axis, int rank, const char* who) {
  require(axis >= -rank && axis < rank, "{}: saw axis {}, needs one of {} axes", who, axis, rank);
  return axis < 0 ? axis + rank : axis;
}

Shape broadcast(const Shape& a, const Shape& b, const char* who) {
  if (a == b) {
    return a;
  }
  const int rank = std::max(a.rank(), b.rank());
  Shape out;
  for (int i = 0; i < rank; ++i) {
    const int in_a = i - (rank - a.rank());
    const int in_b = i - (rank - b.rank());
    const int64_t x = in_a < 0 ? 1 : a[in_a];
    const int64_t y = in_b < 0 ? 1 : b[in_b];
    require(x == y || x == 1 || y == 1, "{}: saw shapes {} and {}, which do not broadcast", who, a,
            b);
    out.push(x == 1 ? y : x);
  }
  return out;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const int64_t length : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(length);
  }
  return text + "]";
}

}  // namespace heed
