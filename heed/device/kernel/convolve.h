// Convolutions over the cells of grids, channels last (ops/convolve.h has the formulas).
#pragma once

#include <cstdint>

#include "heed/device/kernel/packed.h"
#include "heed/device/view.h"

namespace heed {

/// Cell (u, v) of window (i, j) of a grid [H, W] is the grid's cell (i · stride − top + u · dilation,
/// j · stride − left + v · dilation); cells outside of the grid count as zero.
struct GridWindow {
  int64_t height = 1;
  int64_t width = 1;
  int64_t stride = 1;
  int64_t top = 0;
  int64_t left = 0;
  int64_t dilation = 1;

  /// Whether every window is one cell, in the order of the cells.
  constexpr bool is_cell() const {
    return height == 1 && width == 1 && stride == 1 && top == 0 && left == 0;
  }
  /// How far the last cell is from the first, down and across.
  constexpr int64_t reach_down() const { return (height - 1) * dilation; }
  constexpr int64_t reach_across() const { return (width - 1) * dilation; }
  /// Of a convolution with stride 1: the windows over dy whose sums are dx, with the weight's cells in
  /// the opposite order.
  constexpr GridWindow back() const {
    GridWindow window = *this;
    window.top = reach_down() - top;
    window.left = reach_across() - left;
    return window;
  }
};

/// out[b, i, j, o] ← f(Σ_(u, v, c) w[o, (u, v, c)] x[b, cell (u, v) of window (i, j), c] + bias[o])
struct ConvolveStep {
  static constexpr const char* name = "convolve";
  View out;     // f32 [B, H', W', O], dense
  View x;       // f32 [B, H, W, C], dense
  View packed;  // w [O, height · width · C] as PackStep left it
  GridWindow window;
  View bias = {};  // f32 [O], dense, or without data
  AfterProduct after = AfterProduct::nothing;
};

/// Every channel by itself: out[b, i, j, c] ← f(Σ_(u, v) w[(u, v), c] x[b, its cell (u, v), c] + bias[c])
struct DepthwiseStep {
  static constexpr const char* name = "convolve_depthwise";
  View out;     // f32 [B, H', W', C], dense
  View x;       // f32 [B, H, W, C], dense
  View weight;  // f32 [height · width, C], dense
  GridWindow window;
  View bias = {};                              // f32 [C], dense, or without data
  AfterProduct after = AfterProduct::nothing;  // or relu or relu6; kernels decline the others
};

}  // namespace heed
