#include "heed/media/frame_steps.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

int64_t rows_of(std::span<const float> rows, int64_t width) {
  require(width > 0 && rows.size() % static_cast<std::size_t>(width) == 0,
          "frames: saw {} numbers in rows of {}, needs whole rows", rows.size(), width);
  return static_cast<int64_t>(rows.size()) / width;
}

/// Row t, or the nearest one there is.
const float* nearest_row(std::span<const float> rows, int64_t width, int64_t t, int64_t count) {
  return rows.data() + std::clamp<int64_t>(t, 0, count - 1) * width;
}

std::vector<float> deltas(std::span<const float> rows, int64_t width, int64_t reach) {
  const int64_t count = rows_of(rows, width);
  double squares = 0;
  for (int64_t n = 1; n <= reach; ++n) {
    squares += static_cast<double>(2 * n * n);
  }
  std::vector<float> out(rows.size());
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t i = 0; i < width; ++i) {
      double sum = 0;
      for (int64_t n = 1; n <= reach; ++n) {
        sum += static_cast<double>(n) * (nearest_row(rows, width, t + n, count)[i] -
                                         nearest_row(rows, width, t - n, count)[i]);
      }
      out[static_cast<std::size_t>(t * width + i)] = static_cast<float>(sum / squares);
    }
  }
  return out;
}

}  // namespace

std::vector<float> with_deltas(std::span<const float> rows, int64_t width, int64_t reach,
                               int64_t order) {
  require(reach >= 1 && order >= 0,
          "deltas: saw a reach of {} and order {}, needs at least 1 and 0", reach, order);
  const int64_t count = rows_of(rows, width);
  std::vector<std::vector<float>> parts = {{rows.begin(), rows.end()}};
  for (int64_t i = 0; i < order; ++i) {
    parts.push_back(deltas(parts.back(), width, reach));
  }
  std::vector<float> out;
  out.reserve(rows.size() * parts.size());
  for (int64_t t = 0; t < count; ++t) {
    for (const std::vector<float>& part : parts) {
      out.insert(out.end(), part.begin() + t * width, part.begin() + (t + 1) * width);
    }
  }
  return out;
}

std::vector<float> spliced(std::span<const float> rows, int64_t width, int64_t left,
                           int64_t right) {
  require(left >= 0 && right >= 0, "splicing: saw {} rows to the left and {} to the right", left,
          right);
  const int64_t count = rows_of(rows, width);
  std::vector<float> out;
  out.reserve(rows.size() * static_cast<std::size_t>(left + 1 + right));
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t near = t - left; near <= t + right; ++near) {
      const float* row = nearest_row(rows, width, near, count);
      out.insert(out.end(), row, row + width);
    }
  }
  return out;
}

std::vector<float> played(std::span<const float> rows, int64_t width, double factor) {
  require(factor >= 0.1 && factor <= 10, "frames: saw a speed of {}, needs 0.1 to 10", factor);
  const int64_t count = rows_of(rows, width);
  const int64_t wanted =
      std::min<int64_t>(count, 1) +
      std::max<int64_t>(0, std::llround(static_cast<double>(count) / factor) - 1);
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(wanted * width));
  for (int64_t t = 0; t < wanted; ++t) {
    const double at = static_cast<double>(t) * factor;
    const auto before = static_cast<int64_t>(at);
    const auto share = static_cast<float>(at - static_cast<double>(before));
    const float* left = nearest_row(rows, width, before, count);
    const float* right = nearest_row(rows, width, before + 1, count);
    for (int64_t i = 0; i < width; ++i) {
      out.push_back((1 - share) * left[i] + share * right[i]);
    }
  }
  return out;
}

void normalise(std::span<float> rows, int64_t width, FrameNorm how) {
  constexpr double least_variance = 1e-10;
  const int64_t count = rows_of(rows, width);
  for (int64_t i = 0; how != FrameNorm::none && i < width; ++i) {
    double sum = 0;
    double squares = 0;
    for (int64_t t = 0; t < count; ++t) {
      sum += rows[static_cast<std::size_t>(t * width + i)];
    }
    const double mean = sum / static_cast<double>(count);
    for (int64_t t = 0; t < count; ++t) {
      const double off = rows[static_cast<std::size_t>(t * width + i)] - mean;
      squares += off * off;
    }
    const double deviation = how == FrameNorm::mean
                                 ? 1
                                 : std::sqrt(squares / static_cast<double>(count) + least_variance);
    for (int64_t t = 0; t < count; ++t) {
      float& number = rows[static_cast<std::size_t>(t * width + i)];
      number = static_cast<float>((number - mean) / deviation);
    }
  }
}

}  // namespace heed
