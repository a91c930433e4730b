#include "heed/see/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace heed {
namespace {

/// The distance of two colours, squared.
int apart(Rgb a, Rgb b) {
  const int red = a.red - b.red;
  const int green = a.green - b.green;
  const int blue = a.blue - b.blue;
  return red * red + green * green + blue * blue;
}

std::uint8_t part_of(double share, double from, double to) {
  const double part = std::clamp((share - from) / (to - from), 0.0, 1.0);
  return static_cast<std::uint8_t>(std::lround(255 * part));
}

/// Which of xterm's six levels is nearest.
std::size_t level_of(std::uint8_t value, const std::array<std::uint8_t, 6>& levels) {
  const auto nearest =
      std::min_element(levels.begin(), levels.end(), [value](std::uint8_t a, std::uint8_t b) {
        return std::abs(a - value) < std::abs(b - value);
      });
  return static_cast<std::size_t>(nearest - levels.begin());
}

}  // namespace

Rgb mapped_colour(ColourMap map, double share) {
  share = std::clamp(share, 0.0, 1.0);
  if (map == ColourMap::blue) {
    return ramp(1 - share);
  }
  if (map == ColourMap::heat) {
    return {part_of(share, 0, 0.4), part_of(share, 0.4, 0.8), part_of(share, 0.8, 1)};
  }
  const std::uint8_t grey = part_of(share, 0, 1);
  return {grey, grey, grey};
}

int palette_colour(Rgb colour) {
  constexpr std::array<std::uint8_t, 6> levels = {0, 95, 135, 175, 215, 255};
  const std::size_t red = level_of(colour.red, levels);
  const std::size_t green = level_of(colour.green, levels);
  const std::size_t blue = level_of(colour.blue, levels);
  const Rgb in_cube = {levels[red], levels[green], levels[blue]};
  const int mean = (colour.red + colour.green + colour.blue) / 3;
  const int step = std::clamp((mean - 3) / 10, 0, 23);  // greys 8, 18, … 238
  const auto grey = static_cast<std::uint8_t>(8 + 10 * step);
  if (apart(colour, {grey, grey, grey}) < apart(colour, in_cube)) {
    return 232 + step;
  }
  return static_cast<int>(16 + 36 * red + 6 * green + blue);
}

double lightness_of(Rgb colour) {
  return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue;
}

int grey_of_four(double lightness) {
  constexpr std::array<double, 3> between = {127 / 2.0, (127 + 229) / 2.0, (229 + 255) / 2.0};
  return static_cast<int>(std::lower_bound(between.begin(), between.end(), lightness) -
                          between.begin());
}

std::string ink_of_four(int grey) {
  constexpr std::array<std::string_view, 4> codes = {"\x1b[30m", "\x1b[90m", "\x1b[37m",
                                                     "\x1b[97m"};
  return std::string(codes.at(static_cast<std::size_t>(grey)));
}

std::string ground_of_four(int grey) {
  constexpr std::array<std::string_view, 4> codes = {"\x1b[40m", "\x1b[100m", "\x1b[47m",
                                                     "\x1b[107m"};
  return std::string(codes.at(static_cast<std::size_t>(grey)));
}

}  // namespace heed
