#include "heed/cli/duration.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>

namespace heed {

std::string format_duration(double seconds) {
  constexpr double longest = 1e12;
  if (!(seconds >= 0 && seconds < longest)) {
    return "?";
  }
  if (seconds < 9.95) {
    return fmt::format("{:.1f}s", seconds);
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) {
    return fmt::format("{}s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  }
  const std::int64_t minutes = whole / 60;
  if (minutes < 1440) {
    return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
  }
  return fmt::format("{}d{:02}h", minutes / 60 / 24, minutes / 60 % 24);
}

}  // namespace heed
