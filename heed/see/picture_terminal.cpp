#include "heed/see/picture_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/media/resize.h"
#include "heed/see/colour_map.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr std::string_view upper_half = "▀";
constexpr std::string_view plain_again = "\x1b[0m";
constexpr std::string_view lightness = " .:-=+*#%@";
constexpr std::int32_t columns_between = 2;

/// A tile of pixels, two for each line of text.
struct Tile {
  std::int32_t width = 0;
  std::int32_t height = 0;  // even
  std::vector<Rgb> pixels;

  Rgb at(std::int32_t x, std::int32_t y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};

Tile picture_tile(const Picture& picture, std::int32_t columns) {
  const double rows = static_cast<double>(columns) * picture.height / picture.width;
  Tile tile{columns, 2 * std::max(1, static_cast<std::int32_t>(std::lround(rows / 2))), {}};
  const Picture small = resized(picture, whole_of(picture), {tile.width, tile.height});
  for (std::size_t i = 0; i < small.pixels.size(); i += 3) {
    tile.pixels.push_back({small.pixels[i], small.pixels[i + 1], small.pixels[i + 2]});
  }
  return tile;
}

std::uint8_t mixed(std::uint8_t below, std::uint8_t above, double opacity) {
  return static_cast<std::uint8_t>(std::lround((1 - opacity) * below + opacity * above));
}

/// The picture with a word's weights over it; the weights alone where there is no colour.
Tile word_tile(const PictureSheet& sheet, std::size_t word, const Tile& picture,
               const PictureTerminalStyle& style) {
  const double opacity = style.colour == Colour::none ? 1 : style.sheet.opacity;
  const std::vector<Rgb> lights =
      lights_of_word(sheet, word, {picture.height, picture.width}, style.sheet);
  Tile tile{picture.width, picture.height, {}};
  for (std::size_t i = 0; i < lights.size(); ++i) {
    const Rgb below = picture.pixels[i];
    tile.pixels.push_back({mixed(below.red, lights[i].red, opacity),
                           mixed(below.green, lights[i].green, opacity),
                           mixed(below.blue, lights[i].blue, opacity)});
  }
  return tile;
}

std::string painted(Colour colour, Rgb upper, Rgb lower) {
  if (colour == Colour::grey) {
    return ink_of_four(grey_of_four(lightness_of(upper))) +
           ground_of_four(grey_of_four(lightness_of(lower))) + std::string(upper_half);
  }
  if (colour == Colour::palette) {
    return fmt::format("\x1b[38;5;{}m\x1b[48;5;{}m{}", palette_colour(upper), palette_colour(lower),
                       upper_half);
  }
  return fmt::format("\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m{}", upper.red, upper.green, upper.blue,
                     lower.red, lower.green, lower.blue, upper_half);
}

/// A character for the mean lightness of two pixels.
char plain(Rgb upper, Rgb lower) {
  const double share = (lightness_of(upper) + lightness_of(lower)) / 2 / 255;
  const auto step = static_cast<std::size_t>(share * static_cast<double>(lightness.size()));
  return lightness[std::min(step, lightness.size() - 1)];
}

/// Line `line` of a tile, two rows of its pixels.
std::string line_of_tile(const Tile& tile, std::int32_t line, Colour colour) {
  std::string text;
  for (std::int32_t x = 0; x < tile.width; ++x) {
    const Rgb upper = tile.at(x, 2 * line);
    const Rgb lower = tile.at(x, 2 * line + 1);
    text += colour == Colour::none ? std::string(1, plain(upper, lower))
                                   : painted(colour, upper, lower);
  }
  return colour == Colour::none ? text : text + std::string(plain_again);
}

std::string without_end_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string draw_terminal(const PictureSheet& sheet, const PictureTerminalStyle& style) {
  check_sheet(sheet, style.sheet);
  require(style.tile >= 2 && style.tile <= 1024,
          "sheet: saw tiles of {} columns in a terminal, needs 2 to 1024", style.tile);
  std::vector<Tile> tiles = {picture_tile(sheet.picture, style.tile)};
  std::vector<std::string> labels = {""};
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    tiles.push_back(word_tile(sheet, word, tiles.front(), style));
    labels.push_back(drawn_label(sheet.words[word]));
  }
  const auto columns = static_cast<std::size_t>(style.tile);
  const std::string gap(columns_between, ' ');
  const std::size_t abreast =
      std::max<std::size_t>(1, (style.width + gap.size()) / (columns + gap.size()));
  std::string out = sheet.title.empty() ? "" : drawn_label(sheet.title) + "\n";
  for (std::size_t first = 0; first < tiles.size(); first += abreast) {
    const std::size_t end = std::min(tiles.size(), first + abreast);
    std::string line;
    for (std::size_t i = first; i < end; ++i) {
      line += pad_right(shorten(labels[i], columns), columns) + gap;
    }
    out += without_end_blanks(line) + "\n";
    for (std::int32_t row = 0; row < tiles.front().height / 2; ++row) {
      line.clear();
      for (std::size_t i = first; i < end; ++i) {
        line += (i > first ? gap : "") + line_of_tile(tiles[i], row, style.colour);
      }
      out += without_end_blanks(line) + "\n";
    }
  }
  return out;
}

}  // namespace heed
