#include "heed/device/shape.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/device/shape_format.h"

namespace heed {

void Shape::refuse(int64_t length) const {
  require(rank_ < max_rank, "shape: saw more than {} axes", int{max_rank});
  fail("shape: saw an axis of length {}, needs 0 or more", length);
}

void Shape::refuse_size() const {
  fail("shape: saw {}, needs at most {} elements (2^48); choose smaller sizes", *this,
       int64_t{most_elements});
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
