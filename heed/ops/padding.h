// Zeros around a grid before windows of k cells, s apart, pass over an axis of n cells:
//
//   none        0 before and after: windows lie inside                 ⌊(n − k) / s⌋ + 1 windows
//   same        as TensorFlow's SAME: total = max((⌈n/s⌉ − 1) s + k − n, 0), ⌊total/2⌋ before and the
//               rest after                                            ⌈n/s⌉ windows
//   each_side   as PyTorch's padding: p before and p after        ⌊(n + 2p − k) / s⌋ + 1 windows
//   across      p before and q after a row of cells, none above   ⌊(n + p + q − k) / s⌋ + 1 windows
//               and below
//
// With a dilation d the cells of a window are d apart, so that it is k = (cells − 1) d + 1 wide.
#pragma once

#include <cstdint>

#include "heed/device/kernel/convolve.h"
#include "heed/device/shape.h"

namespace heed {

class Padding {
 public:
  static constexpr Padding none() { return each_side(0); }
  static constexpr Padding same() { return Padding(true, {0, 0}, {0, 0}); }
  static constexpr Padding each_side(int64_t cells) {
    return Padding(false, {cells, cells}, {cells, cells});
  }
  static constexpr Padding across(int64_t before, int64_t after) {
    return Padding(false, {0, 0}, {before, after});
  }

  struct Sides {
    int64_t before;
    int64_t after;
    int64_t windows;  // that fit; 0 or fewer if the axis is too short for one
  };
  /// Of a column of `length` cells, and of a row.
  constexpr Sides sides_down(int64_t length, int64_t window, int64_t stride) const {
    return sides(down_, length, window, stride);
  }
  constexpr Sides sides_across(int64_t length, int64_t window, int64_t stride) const {
    return sides(across_, length, window, stride);
  }

 private:
  struct Ends {
    int64_t before;
    int64_t after;
  };
  constexpr Padding(bool is_same, Ends down, Ends across)
      : is_same_(is_same), down_(down), across_(across) {}
  constexpr Sides sides(const Ends& ends, int64_t length, int64_t window, int64_t stride) const {
    if (!is_same_) {
      const int64_t room = length + ends.before + ends.after - window;
      return {ends.before, ends.after, room < 0 ? 0 : room / stride + 1};
    }
    const int64_t windows = (length + stride - 1) / stride;
    const int64_t missing = (windows - 1) * stride + window - length;
    const int64_t total = missing > 0 ? missing : 0;
    return {total / 2, total - total / 2, windows};
  }

  bool is_same_;
  Ends down_;
  Ends across_;
};

/// Windows of height × width cells over grids, `stride` apart in both directions.
struct GridWindows {
  int64_t height = 1;
  int64_t width = 1;
  int64_t stride = 1;
  Padding padding = Padding::none();
  int64_t dilation = 1;  // in both directions

  static GridWindows square(int64_t side, int64_t stride, Padding padding) {
    return {side, side, stride, padding};
  }
};

/// The windows over a grid of a given size.
struct PlacedWindows {
  GridWindow window;
  int64_t bottom = 0;  // zeros after the last row
  int64_t right = 0;   // zeros after the last column
  int64_t down = 0;    // H', the number of windows in a column
  int64_t across = 0;  // W', in a row
};

/// Over x [B, H, W, C]; an Error that names `who` if no window fits.
PlacedWindows placed(const GridWindows& windows, const Shape& x, const char* who);

}  // namespace heed
