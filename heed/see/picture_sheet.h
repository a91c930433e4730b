// One sheet a caption, as in Show, Attend and Tell (Xu 2015, figure 3): the picture, and then the
// picture once for each word with the word's weights over it, white where it looked and black where it
// did not.
//
//   y = (1 − o) x + o · 255 · a / max a,   o = opacity
//
// a are the word's weights, interpolated bilinearly between the middles of the cells; beyond the middles
// of the outer cells, those hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/media/picture.h"

namespace heed {

struct PictureSheet {
  Picture picture;
  std::vector<std::string> words;  // any bytes
  std::int32_t height = 0;         // of the grid, in cells
  std::int32_t width = 0;
  std::vector<float> weights;  // [words, height · width], row-major

  std::span<const float> of_word(std::size_t word) const {
    const auto cells = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    return std::span(weights).subspan(word * cells, cells);
  }
};

struct PictureSheetStyle {
  double opacity = 0.8;        // of the weights; 0: the picture alone, 1: the weights alone
  std::int32_t tile_px = 192;  // the longer side of each picture
  std::int32_t columns = 6;    // pictures beside each other
};

/// The weights of a word at every pixel of a tile, [tile_height, tile_width]; NaN stays NaN.
std::vector<double> weights_at_pixels(const PictureSheet& sheet, std::size_t word,
                                      std::int32_t tile_height, std::int32_t tile_width);

std::string draw_png(const PictureSheet& sheet, const PictureSheetStyle& style = {});
/// The same as a standalone SVG: the picture once, and an image of weights for each word.
std::string draw_svg(const PictureSheet& sheet, const PictureSheetStyle& style = {});

}  // namespace heed
