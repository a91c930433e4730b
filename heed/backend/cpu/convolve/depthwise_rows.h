// What the loops of a depthwise convolution read.
#pragma once

#include "heed/device/kernel/convolve.h"

namespace heed::cpu {

struct DepthwiseRows {
  GridWindow window;
  int64_t height = 0;  // of x
  int64_t width = 0;
  int64_t across = 0;  // windows in a row
  int64_t channels = 0;
  AfterProduct after = AfterProduct::nothing;
  const float* weight = nullptr;
  const float* bias = nullptr;  // or null
};

/// The cells of a window that lie inside the grid: rows [first, last), columns [from, to).
struct DepthwiseSpan {
  int64_t first = 0;
  int64_t last = 0;
  int64_t from = 0;
  int64_t to = 0;
};

}  // namespace heed::cpu
