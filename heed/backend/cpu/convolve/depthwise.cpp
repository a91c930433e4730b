// Depthwise convolution: vectors over channels, several windows of a row of the grid at a time, with
// sums in registers. Windows that reach over the border leave out the cells outside.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/convolve/depthwise.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/convolve/cells_inside.h"
#include "heed/backend/cpu/convolve/depthwise_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/base/error.h"
#include "heed/device/kernel/convolve.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// The number of windows of a row that are summed at a time.
inline constexpr int64_t windows_abreast = 4;

HWY_INLINE Floats finished(Floats sum, AfterProduct after) {
  if (after != AfterProduct::nothing) {
    sum = hn::IfThenElse(hn::Lt(sum, spread(0.0F)), spread(0.0F), sum);  // NaN stays
  }
  if (after == AfterProduct::relu6) {
    sum = hn::IfThenElse(hn::Gt(sum, spread(6.0F)), spread(6.0F), sum);
  }
  return sum;
}

/// `Side` neighbouring windows, all of whose cells [first, last) × [from, to) lie inside the grid.
/// x is the cell (0, 0) of the first window, which may lie outside, y its result.
template <int64_t Side, class At>
HWY_INLINE void windows_of(At at, const DepthwiseRows& rows, const DepthwiseSpan& span,
                           const float* x, float* y, int64_t c) {
  Floats sum[Side];
  const Floats bias = rows.bias != nullptr ? at.load(rows.bias + c) : spread(0.0F);
  HWY_UNROLL(4)
  for (int64_t k = 0; k < Side; ++k) {
    sum[k] = bias;
  }
  const int64_t next = rows.window.stride * rows.channels;
  for (int64_t u = span.first; u < span.last; ++u) {
    const int64_t dilation = rows.window.dilation;
    const float* line = x + u * dilation * rows.width * rows.channels + c;
    const float* weight = rows.weight + u * rows.window.width * rows.channels + c;
    for (int64_t v = span.from; v < span.to; ++v) {
      const Floats w = at.load(weight + v * rows.channels);
      HWY_UNROLL(4)
      for (int64_t k = 0; k < Side; ++k) {
        sum[k] = hn::MulAdd(w, at.load(line + v * dilation * rows.channels + k * next), sum[k]);
      }
    }
  }
  HWY_UNROLL(4)
  for (int64_t k = 0; k < Side; ++k) {
    at.store(y + k * rows.channels + c, finished(sum[k], rows.after));
  }
}

template <int64_t Side>
HWY_INLINE void all_channels(const DepthwiseRows& rows, const DepthwiseSpan& span, const float* x,
                             float* y) {
  sweep(rows.channels,
        [&](auto at, int64_t c) HWY_ATTR { windows_of<Side>(at, rows, span, x, y, c); });
}

/// Row i of the results of a picture.
HWY_FLATTEN void depthwise_row(const DepthwiseRows& rows, const float* picture, int64_t i,
                               float* y) {
  const GridWindow& window = rows.window;
  const int64_t top = i * window.stride - window.top;
  const CellsInside down = cells_inside(top, rows.height, window.height, window.dilation);
  DepthwiseSpan span{.first = down.first, .last = down.last};
  int64_t j = 0;
  while (j < rows.across) {
    const int64_t left = j * window.stride - window.left;
    const CellsInside along = cells_inside(left, rows.width, window.width, window.dilation);
    span.from = along.first;
    span.to = along.last;
    const float* x = picture + (top * rows.width + left) * rows.channels;
    const int64_t last = left + (windows_abreast - 1) * window.stride + window.reach_across() + 1;
    if (left >= 0 && last <= rows.width && j + windows_abreast <= rows.across) {
      all_channels<windows_abreast>(rows, span, x, y + j * rows.channels);
      j += windows_abreast;
    } else {
      all_channels<1>(rows, span, x, y + j * rows.channels);
      ++j;
    }
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

const float* dense_floats(const View& view, const Shape& shape, const char* what) {
  require(view.dtype == DType::f32 && view.shape == shape && view.is_contiguous(),
          "convolve_depthwise: saw {} {} {}, needs dense f32 {}", what, name_of(view.dtype),
          to_string(view.shape), to_string(shape));
  return view.as<float>();
}

}  // namespace

HWY_EXPORT(depthwise_row);

bool convolve_depthwise(Backend& /*backend*/, const DepthwiseStep& step) {
  const bool has_after = step.after == AfterProduct::nothing || step.after == AfterProduct::relu ||
                         step.after == AfterProduct::relu6;
  if (!has_after) {
    return false;
  }
  const Shape& in = step.x.shape;
  const Shape& out = step.out.shape;
  require(in.rank() == 4 && out.rank() == 4 && in[0] == out[0] && in[3] == out[3],
          "convolve_depthwise: saw x {} and out {}, needs [B, H, W, C] with equal B and C",
          to_string(in), to_string(out));
  DepthwiseRows rows{.window = step.window,
                     .height = in[1],
                     .width = in[2],
                     .across = out[2],
                     .channels = in[3],
                     .after = step.after};
  rows.weight =
      dense_floats(step.weight, {step.window.height * step.window.width, in[3]}, "weight");
  rows.bias = step.bias.data != nullptr ? dense_floats(step.bias, {in[3]}, "bias") : nullptr;
  const float* x = dense_floats(step.x, in, "x");
  dense_floats(step.out, out, "out");
  const int64_t work = out[2] * in[3] * step.window.height * step.window.width;
  each_range(out[0] * out[1], units_per_chunk(work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(depthwise_row)
      (rows, x + row / out[1] * in[1] * in[2] * in[3], row % out[1],
       step.out.as<float>() + row * out[2] * out[3]);
    }
  });
  return true;
}

}  // namespace heed::cpu
#endif
