#include "heed/see/picture_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/media/resize.h"
#include "heed/see/base64.h"
#include "heed/see/sheet.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr Rgb label_ink = {27, 39, 51};
constexpr Rgb not_a_number = {224, 72, 62};
constexpr std::int32_t label_px = 24;  // above every tile
constexpr std::int32_t tile_gap = 8;

/// The picture with its longer side as long as a tile.
Picture tile_of(const Picture& picture, std::int32_t longer) {
  const double scale = static_cast<double>(longer) / std::max(picture.width, picture.height);
  const auto side = [scale](std::int32_t pixels) {
    return std::max(1, static_cast<std::int32_t>(std::lround(pixels * scale)));
  };
  return resized(picture, whole_of(picture), {side(picture.width), side(picture.height)});
}

/// Where the tiles lie: the picture itself is tile 0, word n is tile n + 1.
class Tiles {
 public:
  Tiles(const PictureSheet& sheet, const PictureSheetStyle& style)
      : picture_(tile_of(sheet.picture, style.tile_px)),
        count_(static_cast<std::int32_t>(sheet.words.size()) + 1),
        columns_(std::min(style.columns, count_)),
        head_(sheet.title.empty() ? 0 : label_px),
        title_(static_cast<std::int32_t>(std::ceil(title_width_px(sheet.title)))) {}

  const Picture& picture() const { return picture_; }
  std::int32_t left(std::size_t tile) const {
    const auto column = static_cast<std::int32_t>(tile) % columns_;
    return tile_gap + column * (picture_.width + tile_gap);
  }
  std::int32_t top(std::size_t tile) const {
    const auto row = static_cast<std::int32_t>(tile) / columns_;
    return head_ + label_px + row * (picture_.height + label_px);
  }
  std::int32_t width() const {
    return tile_gap + std::max(columns_ * (picture_.width + tile_gap), title_ + tile_gap);
  }
  std::int32_t height() const {
    const std::int32_t rows = (count_ + columns_ - 1) / columns_;
    return head_ + rows * (picture_.height + label_px) + tile_gap;
  }

 private:
  Picture picture_;
  std::int32_t count_;
  std::int32_t columns_;
  std::int32_t head_;   // the height of the title
  std::int32_t title_;  // its width
};

Rgb pixel_of(const Picture& picture, std::size_t at) {
  return {picture.pixels[3 * at], picture.pixels[3 * at + 1], picture.pixels[3 * at + 2]};
}

void paint_picture(Canvas& canvas, const Picture& picture, std::int32_t left, std::int32_t top) {
  for (std::size_t at = 0; at < picture.cells(); ++at) {
    const auto x = static_cast<std::int32_t>(at) % picture.width;
    const auto y = static_cast<std::int32_t>(at) / picture.width;
    canvas.blend(left + x, top + y, pixel_of(picture, at));
  }
}

/// What stands above a tile; never wider than it, so that it does not run into the next one.
std::string tile_label(std::string_view word, const Picture& tile) {
  const auto letters = static_cast<std::size_t>((tile.width + 0.5 * tile_gap) / column_px);
  return shorten(short_label(word), std::max<std::size_t>(letters, 2));
}

std::string data_of(const std::vector<Rgb>& pixels, const Picture& tile) {
  Canvas canvas(tile.width, tile.height);
  for (std::size_t at = 0; at < pixels.size(); ++at) {
    const auto place = static_cast<std::int32_t>(at);
    canvas.blend(place % tile.width, place / tile.width, pixels[at]);
  }
  return "data:image/png;base64," + to_base64(canvas.png());
}

}  // namespace

void check_sheet(const PictureSheet& sheet, const PictureSheetStyle& style) {
  const std::size_t cells =
      static_cast<std::size_t>(sheet.height) * static_cast<std::size_t>(sheet.width);
  require(sheet.height > 0 && sheet.width > 0 && sheet.weights.size() == sheet.words.size() * cells,
          "sheet: saw {} weights for {} words and a grid of {} × {}, needs one for each cell",
          sheet.weights.size(), sheet.words.size(), sheet.height, sheet.width);
  require(sheet.picture.width > 0 && sheet.picture.height > 0 &&
              sheet.picture.pixels.size() == 3 * sheet.picture.cells(),
          "sheet: saw a picture of {} × {}, needs its pixels", sheet.picture.width,
          sheet.picture.height);
  require(style.opacity >= 0 && style.opacity <= 1 && style.tile_px >= 8 && style.tile_px <= 1024 &&
              style.columns >= 1 && style.columns <= 64,
          "sheet: saw opacity {}, tiles of {} pixels and {} columns, needs 0 to 1, 8 to 1024 and 1 "
          "to 64",
          style.opacity, style.tile_px, style.columns);
}

std::vector<Rgb> lights_of_word(const PictureSheet& sheet, std::size_t word, const GridSize& tile,
                                const PictureSheetStyle& style) {
  double most = 0;
  for (const float weight : sheet.of_word(word)) {
    most = std::isfinite(weight) ? std::max(most, static_cast<double>(weight)) : most;
  }
  std::vector<Rgb> lights;
  for (const double weight :
       upsampled(sheet.of_word(word), {sheet.height, sheet.width}, tile, style.upsampling)) {
    lights.push_back(std::isfinite(weight) ? mapped_colour(style.map, most > 0 ? weight / most : 0)
                                           : not_a_number);
  }
  return lights;
}

Canvas painted(const PictureSheet& sheet, const PictureSheetStyle& style) {
  check_sheet(sheet, style);
  const Tiles tiles(sheet, style);
  const Picture& picture = tiles.picture();
  Canvas canvas(tiles.width(), tiles.height());
  paint_picture(canvas, picture, tiles.left(0), tiles.top(0));
  if (!sheet.title.empty()) {
    canvas.write(tile_gap, 0.75 * label_px, drawn_label(sheet.title),
                 {.ink = label_ink, .px = title_px, .is_bold = true});
  }
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    const std::int32_t left = tiles.left(word + 1);
    const std::int32_t top = tiles.top(word + 1);
    paint_picture(canvas, picture, left, top);
    const std::vector<Rgb> lights =
        lights_of_word(sheet, word, {picture.height, picture.width}, style);
    for (std::size_t at = 0; at < lights.size(); ++at) {
      const auto place = static_cast<std::int32_t>(at);
      canvas.blend(left + place % picture.width, top + place / picture.width, lights[at],
                   style.opacity);
    }
    canvas.write(left, top - label_px / 2.0, tile_label(sheet.words[word], picture),
                 {.ink = label_ink});
  }
  return canvas;
}

std::string draw_png(const PictureSheet& sheet, const PictureSheetStyle& style) {
  return painted(sheet, style).png();
}

SvgPart svg_part(const PictureSheet& sheet, const PictureSheetStyle& style, std::size_t number) {
  check_sheet(sheet, style);
  const Tiles tiles(sheet, style);
  const Picture& tile = tiles.picture();
  std::vector<Rgb> pixels;
  for (std::size_t at = 0; at < tile.cells(); ++at) {
    pixels.push_back(pixel_of(tile, at));
  }
  SvgPart part{static_cast<double>(tiles.width()), static_cast<double>(tiles.height()), ""};
  part.body = fmt::format(
      R"(<image id="picture-{}" x="{}" y="{}" width="{}" height="{}" xlink:href="{}"/>
)",
      number, tiles.left(0), tiles.top(0), tile.width, tile.height, data_of(pixels, tile));
  part.body += svg_title(sheet.title, tile_gap, 0.75 * label_px);
  for (std::size_t word = 0; word < sheet.words.size(); ++word) {
    const std::int32_t left = tiles.left(word + 1);
    const std::int32_t top = tiles.top(word + 1);
    part.body += fmt::format(
        R"(<text x="{}" y="{}">{}<title>{}</title></text>
<use xlink:href="#picture-{}" x="{}" y="{}"/>
<image x="{}" y="{}" width="{}" height="{}" opacity="{:g}" xlink:href="{}"/>
)",
        left, top - 7, svg_text(tile_label(sheet.words[word], tile)),
        svg_text(drawn_label(sheet.words[word])), number, left - tiles.left(0), top - tiles.top(0),
        left, top, tile.width, tile.height, style.opacity,
        data_of(lights_of_word(sheet, word, {tile.height, tile.width}, style), tile));
  }
  return part;
}

std::string draw_svg(const PictureSheet& sheet, const PictureSheetStyle& style) {
  return svg_file(svg_part(sheet, style), sheet.title);
}

}  // namespace heed
