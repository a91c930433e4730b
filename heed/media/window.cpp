#include "heed/media/window.h"

#include <cmath>
#include <numbers>

namespace heed {
namespace {

double window_value(WindowKind kind, double angle) {
  switch (kind) {
    case WindowKind::hann:
      return 0.5 - 0.5 * std::cos(angle);
    case WindowKind::hamming:
      return 0.54 - 0.46 * std::cos(angle);
    case WindowKind::povey:
      return std::pow(0.5 - 0.5 * std::cos(angle), 0.85);
    case WindowKind::blackman:
      return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
    case WindowKind::rectangular:
      return 1;
  }
  return 1;
}

}  // namespace

std::vector<float> window_of(WindowKind kind, int64_t length, bool is_periodic) {
  const auto period = static_cast<double>(is_periodic || length == 1 ? length : length - 1);
  std::vector<float> window;
  window.reserve(static_cast<std::size_t>(length));
  for (int64_t n = 0; n < length; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(n) / period;
    window.push_back(static_cast<float>(window_value(kind, angle)));
  }
  return window;
}

}  // namespace heed
