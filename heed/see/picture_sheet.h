// One sheet a caption, as in Show, Attend and Tell (Xu 2015, figure 3): the picture, and then the
// picture once for each word with the word's weights over it, white where it looked and black where it
// did not, or in the colours of another map (colour_map.h).
//
//   y = (1 − o) x + o · colour(a / max a),   o = opacity
//
// a are the word's weights at the pixels (upsample.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/media/picture.h"
#include "heed/see/canvas.h"
#include "heed/see/colour_map.h"
#include "heed/see/svg.h"
#include "heed/see/upsample.h"

namespace heed {

struct PictureSheet {
  Picture picture;
  std::vector<std::string> words;  // any bytes
  std::int32_t height = 0;         // of the grid, in cells
  std::int32_t width = 0;
  std::vector<float> weights;  // [words, height · width], row-major
  std::string title = {};

  std::span<const float> of_word(std::size_t word) const {
    const auto cells = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    return std::span(weights).subspan(word * cells, cells);
  }
};

struct PictureSheetStyle {
  double opacity = 0.8;        // of the weights; 0: the picture alone, 1: the weights alone
  std::int32_t tile_px = 192;  // the longer side of each picture
  std::int32_t columns = 6;    // pictures beside each other
  Upsampling upsampling = Upsampling::bilinear;
  ColourMap map = ColourMap::light;
};

/// Throws where the weights do not fill the grid for every word, the picture has no pixels, or the
/// style is out of range.
void check_sheet(const PictureSheet& sheet, const PictureSheetStyle& style);

/// The colour of a word's weight at every pixel of a tile, row-major; red where a weight is no number.
std::vector<Rgb> lights_of_word(const PictureSheet& sheet, std::size_t word, const GridSize& tile,
                                const PictureSheetStyle& style);

Canvas painted(const PictureSheet& sheet, const PictureSheetStyle& style = {});
std::string draw_png(const PictureSheet& sheet, const PictureSheetStyle& style = {});
/// The picture once, and an image of weights for each word. Sheets in one file have different numbers.
SvgPart svg_part(const PictureSheet& sheet, const PictureSheetStyle& style = {},
                 std::size_t number = 0);
std::string draw_svg(const PictureSheet& sheet, const PictureSheetStyle& style = {});

}  // namespace heed
