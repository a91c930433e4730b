// The position of each row in its sequence, counted from 0.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/layout.h"

namespace heed {

struct RowPositions {
  Tensor number;      // i32 [N]; 0 at rows that no sequence uses
  int64_t bound = 0;  // every number is below it; known without reading the device
};

/// Row t of sequence b has position first[b] + t; an empty `first` means 0 everywhere. A decoder's
/// step is a layout of single rows whose `first` is the number of steps before it.
RowPositions positions_of(const Layout& layout, std::span<const int32_t> first = {});

}  // namespace heed
