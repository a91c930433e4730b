#include "heed/media/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/allowance.h"
#include "heed/base/error.h"

namespace heed {
namespace {

constexpr int tap_bits = 22;  // 255 · 2²² · Σ|weights| is below 2³¹

double triangle(double t) { return std::max(0.0, 1 - std::abs(t)); }

double cubic(double t) {
  t = std::abs(t);
  if (t < 1) {
    return (1.5 * t - 2.5) * t * t + 1;
  }
  return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

/// For each pixel of the result: the pixels that it is made of, and their weights.
struct Taps {
  struct Run {
    std::int32_t first;
    std::int32_t count;
    std::size_t weights;  // where its weights begin
  };
  std::vector<Run> runs;
  std::vector<std::int32_t> weights;
};

Taps taps_of(std::int32_t from, std::int32_t to, Interpolation interpolation) {
  const bool is_cubic = interpolation == Interpolation::bicubic;
  const double ratio = static_cast<double>(from) / to;
  const double stretch = std::max(1.0, ratio);
  const double reach = (is_cubic ? 2 : 1) * stretch;
  Taps taps;
  std::vector<double> exact;
  for (std::int32_t i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * ratio;
    const auto first = std::max(0, static_cast<std::int32_t>(centre - reach + 0.5));
    const auto end = std::min(from, static_cast<std::int32_t>(centre + reach + 0.5));
    exact.clear();
    double sum = 0;
    for (std::int32_t j = first; j < end; ++j) {
      const double t = (j + 0.5 - centre) / stretch;
      exact.push_back(is_cubic ? cubic(t) : triangle(t));
      sum += exact.back();
    }
    taps.runs.push_back({first, end - first, taps.weights.size()});
    for (const double weight : exact) {
      taps.weights.push_back(
          static_cast<std::int32_t>(std::lround(weight / sum * (1 << tap_bits))));
    }
  }
  return taps;
}

std::uint8_t as_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> tap_bits, 0, 255));
}

constexpr std::int32_t rounding_half = 1
                                       << (tap_bits - 1);  // sums begin with it, so that they round

/// The rows of the part, each with `width` pixels.
Picture with_width(const Picture& picture, const PixelBox& part, const ResizeOptions& options) {
  const Taps taps = taps_of(part.width, options.width, options.interpolation);
  Picture out{options.width, part.height, {}};
  const HeldBytes held(3 * out.cells());
  out.pixels.resize(3 * out.cells());
  std::uint8_t* to = out.pixels.data();
  for (std::int32_t y = 0; y < part.height; ++y) {
    check_goes_on();
    const std::size_t start = static_cast<std::size_t>(part.top + y) * picture.width + part.left;
    const std::uint8_t* row = picture.pixels.data() + 3 * start;
    for (const Taps::Run& run : taps.runs) {
      const std::int32_t* weights = taps.weights.data() + run.weights;
      const std::uint8_t* from = row + std::size_t{3} * run.first;
      std::int32_t red = rounding_half;
      std::int32_t green = rounding_half;
      std::int32_t blue = rounding_half;
      for (std::int32_t j = 0; j < run.count; ++j, from += 3) {
        red += weights[j] * from[0];
        green += weights[j] * from[1];
        blue += weights[j] * from[2];
      }
      to[0] = as_byte(red);
      to[1] = as_byte(green);
      to[2] = as_byte(blue);
      to += 3;
    }
  }
  return out;
}

/// The columns of the part, each with `height` pixels.
Picture with_height(const Picture& picture, const PixelBox& part, const ResizeOptions& options) {
  const Taps taps = taps_of(part.height, options.height, options.interpolation);
  Picture out{part.width, options.height, {}};
  const HeldBytes held(3 * out.cells());
  out.pixels.resize(3 * out.cells());
  const std::size_t stride = std::size_t{3} * picture.width;
  const std::uint8_t* const start =
      picture.pixels.data() + part.top * stride + std::size_t{3} * part.left;
  const std::size_t row_bytes = std::size_t{3} * part.width;
  std::vector<std::int32_t> sums(row_bytes);
  std::uint8_t* to = out.pixels.data();
  for (const Taps::Run& run : taps.runs) {
    check_goes_on();
    std::fill(sums.begin(), sums.end(), rounding_half);
    for (std::int32_t j = 0; j < run.count; ++j) {
      const std::int32_t weight = taps.weights[run.weights + j];
      const std::uint8_t* from = start + (run.first + j) * stride;
      for (std::size_t x = 0; x < row_bytes; ++x) {
        sums[x] += weight * from[x];
      }
    }
    to = std::transform(sums.begin(), sums.end(), to, as_byte);
  }
  return out;
}

/// As Pillow 13 chooses. So the picture between the two passes has at most as many pixels as the larger of the part
/// and the result: a column of a million pixels is never made wide first.
bool goes_over_columns_first(const PixelBox& part, const ResizeOptions& options) {
  const std::int64_t fewer_rows = std::int64_t{part.height} - options.height;
  const std::int64_t fewer_columns = std::int64_t{part.width} - options.width;
  return fewer_rows > 0 && fewer_rows > 2 * fewer_columns;
}

}  // namespace

Picture resized(const Picture& picture, const PixelBox& part, const ResizeOptions& options) {
  require(options.width > 0 && options.height > 0, "resize: saw {} × {} pixels, needs some",
          options.width, options.height);
  require_inside(picture, part);
  if (part.width == options.width && part.height == options.height) {
    return cropped(picture, part);
  }
  const bool columns_first = goes_over_columns_first(part, options);
  const Picture between =
      columns_first ? with_height(picture, part, options) : with_width(picture, part, options);
  const HeldBytes held(between.pixels.size());
  return columns_first ? with_width(between, whole_of(between), options)
                       : with_height(between, whole_of(between), options);
}

}  // namespace heed
