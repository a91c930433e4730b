#include "heed/media/frame_scale.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "heed/base/error.h"

namespace heed {

FrameSums::FrameSums(int64_t width)
    : sums_(static_cast<std::size_t>(width)), squares_(static_cast<std::size_t>(width)) {
  require(width > 0, "frames: saw rows of {} numbers, needs some", width);
}

void FrameSums::add(std::span<const float> rows) {
  const std::size_t width = sums_.size();
  require(rows.size() % width == 0, "frames: saw {} numbers in rows of {}, needs whole rows",
          rows.size(), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto number = static_cast<double>(rows[i]);
    sums_[i % width] += number;
    squares_[i % width] += number * number;
  }
  rows_ += static_cast<int64_t>(rows.size() / width);
}

FrameScale FrameSums::scale(FrameNorm how) const {
  constexpr double least_variance = 1e-10;
  require(rows_ > 0, "frames: saw no row, needs some to normalise by");
  const auto count = static_cast<double>(rows_);
  FrameScale scale;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double mean = how == FrameNorm::none ? 0 : sums_[i] / count;
    const double variance = std::max(0.0, squares_[i] / count - mean * mean);
    scale.means.push_back(mean);
    scale.deviations.push_back(
        how == FrameNorm::mean_and_variance ? std::sqrt(variance + least_variance) : 1);
  }
  return scale;
}

void normalise(std::span<float> rows, const FrameScale& scale) {
  const std::size_t width = scale.means.size();
  require(width > 0 && scale.deviations.size() == width && rows.size() % width == 0,
          "frames: saw {} numbers and a scale of {}, needs whole rows", rows.size(), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<float>((static_cast<double>(rows[i]) - scale.means[i % width]) /
                                 scale.deviations[i % width]);
  }
}

std::string text_of(const FrameScale& scale) {
  std::string text;
  for (std::size_t i = 0; i < scale.means.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : "; ", scale.means[i], scale.deviations[i]);
  }
  return text;
}

FrameScale frame_scale_of(std::string_view text, int64_t width) {
  FrameScale scale;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto next = [&](double& number) {
    while (at != end && (*at == ' ' || *at == ';')) {
      ++at;
    }
    const auto [behind, fault] = std::from_chars(at, end, number);
    at = behind;
    return fault == std::errc() && std::isfinite(number);
  };
  bool is_read = true;
  for (int64_t i = 0; i < width && is_read; ++i) {
    double mean = 0;
    double deviation = 0;
    is_read = next(mean) && next(deviation) && deviation > 0;
    scale.means.push_back(mean);
    scale.deviations.push_back(deviation);
  }
  if (!is_read || at != end) {
    fail(Fault::file,
         "statistics of features: \"{}\" must be {} means, each with a positive deviation, as "
         "training writes them",
         text.substr(0, 60), width);
  }
  return scale;
}

}  // namespace heed
