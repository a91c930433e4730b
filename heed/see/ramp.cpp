#include "heed/see/ramp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace heed {

Rgb ramp(double darkness, Ground ground) {
  constexpr std::array<std::array<double, 3>, 6> stops = {{{244, 247, 251},
                                                           {205, 222, 240},
                                                           {143, 187, 221},
                                                           {74, 143, 196},
                                                           {29, 95, 160},
                                                           {11, 42, 92}}};
  const double share = std::clamp(ground == Ground::light ? darkness : 1 - darkness, 0.0, 1.0);
  const double place = share * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto channel = [&](std::size_t c) {
    const double mixed = stops[below][c] * (1 - part) + stops[below + 1][c] * part;
    return static_cast<std::uint8_t>(std::lround(mixed));
  };
  return {channel(0), channel(1), channel(2)};
}

int palette_ramp(double darkness, Ground ground) {
  constexpr int lightest = 255;
  constexpr int steps = 23;
  const double share = std::clamp(ground == Ground::light ? darkness : 1 - darkness, 0.0, 1.0);
  return lightest - static_cast<int>(std::lround(share * steps));
}

bool needs_light_ink(double darkness, Ground ground) {
  return ground == Ground::light ? darkness > 0.5 : darkness < 0.5;
}

}  // namespace heed
