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

std::string format_short_time(double seconds) {
  if (!(seconds >= 0)) {
    return "?";
  }
  return seconds >= 9.95      ? format_duration(seconds)
         : seconds >= 0.9995  ? fmt::format("{:.1f} s", seconds)
         : seconds >= 0.00995 ? fmt::format("{:.0f} ms", 1e3 * seconds)
                              : fmt::format("{:.2g} ms", 1e3 * seconds);
}

std::string format_rate(double a_second, const std::string& unit) {
  if (a_second > 0 && a_second < 1 && !unit.empty()) {
    return fmt::format("{} a {}", format_short_time(1 / a_second), unit);
  }
  const std::string number =
      a_second >= 100 ? fmt::format("{:.0f}", a_second) : fmt::format("{:.3g}", a_second);
  return number + (unit.empty() ? "" : " " + unit + "s") + "/s";
}

}  // namespace heed
