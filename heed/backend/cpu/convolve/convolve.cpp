// Convolutions as packed products of rows: a row holds what one window sees, (u, v, c), and is made
// when it is multiplied. A block of rows stays in the second-level cache, and each thread takes a
// block at a time. If windows are cells, the rows are those of x.
//
// A row's product has the same bits however many rows there are (gemm/tile.h), so the result depends
// neither on the blocks nor on the threads.
#include "heed/device/kernel/convolve.h"

#include <algorithm>
#include <cstring>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/convolve/cells_inside.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"

namespace heed::cpu {
namespace {

/// The size of the rows that are made at a time.
constexpr int64_t bytes_of_rows = int64_t{1} << 18;
/// A block is a multiple of this: whole tiles of every kernel's height.
constexpr int64_t rows_of_tiles = 48;
/// Many rows are cut into at least this many blocks, so that threads end at about the same time.
constexpr int64_t blocks_at_least = 8;
/// With fewer windows than this, threads share the columns of the product instead of its rows.
constexpr int64_t few_windows = 512;
/// The number of columns that are enough to share.
constexpr int64_t many_columns = 128;

void check_grid(const View& view, const char* what) {
  require(view.rank() == 4 && view.dtype == DType::f32 && view.is_contiguous(),
          "convolve: saw {} {} {}, needs dense f32 [B, H, W, C]", what, name_of(view.dtype),
          to_string(view.shape));
}

/// Copies windows into rows.
class Windows {
 public:
  explicit Windows(const ConvolveStep& step)
      : window_(step.window),
        x_(step.x.as<float>()),
        height_(step.x.shape[1]),
        width_(step.x.shape[2]),
        channels_(step.x.shape[3]),
        down_(step.out.shape[1]),
        across_(step.out.shape[2]) {}

  int64_t columns() const { return window_.height * window_.width * channels_; }

  /// to [end − begin, columns] ← windows begin to end
  void copy(int64_t begin, int64_t end, float* to) const {
    for (int64_t row = begin; row < end; ++row, to += columns()) {
      const int64_t j = row % across_;
      const int64_t i = row / across_ % down_;
      const int64_t picture = row / (across_ * down_);
      copy_one(x_ + picture * height_ * width_ * channels_, i * window_.stride - window_.top,
               j * window_.stride - window_.left, to);
    }
  }

 private:
  /// The window whose first cell is (top, left), of a picture.
  void copy_one(const float* picture, int64_t top, int64_t left, float* to) const {
    const auto [first, last] = cells_inside(left, width_, window_.width, window_.dilation);
    const int64_t line = window_.width * channels_;
    for (int64_t u = 0; u < window_.height; ++u, to += line) {
      const int64_t y = top + u * window_.dilation;
      if (y < 0 || y >= height_ || first == last) {
        std::fill_n(to, line, 0.0F);
        continue;
      }
      std::fill_n(to, first * channels_, 0.0F);
      const float* from = picture + (y * width_ + left + first * window_.dilation) * channels_;
      const int64_t together = window_.dilation == 1 ? last - first : 1;
      for (int64_t v = first; v < last; v += together) {
        std::memcpy(to + v * channels_, from,
                    static_cast<size_t>(together * channels_) * sizeof(float));
        from += window_.dilation * channels_;
      }
      std::fill(to + last * channels_, to + line, 0.0F);
    }
  }

  GridWindow window_;
  const float* x_;
  int64_t height_;
  int64_t width_;
  int64_t channels_;
  int64_t down_;
  int64_t across_;
};

}  // namespace

void convolve(const ConvolveStep& step) {
  check_grid(step.out, "out");
  check_grid(step.x, "x");
  const Windows windows(step);
  const int64_t out_columns = step.out.shape[3];
  const int64_t columns = windows.columns();
  const int64_t rows = step.out.numel() / std::max<int64_t>(1, out_columns);
  const bool is_cell = step.window.is_cell();
  const auto multiply = [&](int64_t begin, int64_t end, float* x) {
    float* out = step.out.as<float>() + begin * out_columns;
    multiply_packed({.out = dense_view(out, DType::f32, {end - begin, out_columns}),
                     .x = dense_view(x, DType::f32, {end - begin, columns}),
                     .packed = step.packed,
                     .bias = step.bias,
                     .after = step.after});
  };
  const int64_t fitting = std::min(bytes_of_rows / (4 * columns), pieces_of(rows, blocks_at_least));
  const int64_t block = pieces_of(std::max<int64_t>(1, fitting), rows_of_tiles) * rows_of_tiles;
  thread_local ScratchBuffer buffer;
  if (rows < few_windows && out_columns >= many_columns) {
    float* x = step.x.as<float>();
    if (!is_cell) {
      x = buffer.of<float>(rows * columns);
      each_range(rows, units_per_chunk(columns), [&](int64_t begin, int64_t end) {
        windows.copy(begin, end, x + begin * columns);
      });
    }
    return multiply(0, rows, x);
  }
  each_range(rows, block, [&](int64_t begin, int64_t end) {
    if (is_cell) {
      return multiply(begin, end, step.x.as<float>() + begin * columns);
    }
    thread_local ScratchBuffer own;
    auto* x = own.of<float>(block * columns);
    windows.copy(begin, end, x);
    multiply(begin, end, x);
  });
}

}  // namespace heed::cpu
