// Which cells of a window lie inside a grid, along one axis.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heed::cpu {

struct CellsInside {
  int64_t first = 0;
  int64_t last = 0;  // the first that lies beyond
};

/// Cell k of `count` lies at at + k · dilation; the grid has `length`.
inline CellsInside cells_inside(int64_t at, int64_t length, int64_t count, int64_t dilation) {
  const auto until = [&](int64_t room) {  // how many cells lie before at + room
    return room <= 0 ? 0 : (room + dilation - 1) / dilation;
  };
  const int64_t first = std::min(until(-at), count);
  return {first, std::clamp(until(length - at), first, count)};
}

}  // namespace heed::cpu
