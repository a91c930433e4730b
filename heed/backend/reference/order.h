// Compares elements that may be NaN: NaN counts as the largest, so that it appears in the result.
#pragma once

namespace heed::reference {

template <class T>
bool is_above(T x, T y) {
  return x > y || (x != x && y == y);
}

}  // namespace heed::reference
