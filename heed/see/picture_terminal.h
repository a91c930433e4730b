// A picture in a terminal, and once more for each word of its caption with the word's weights over it,
// beside each other as far as there is room:
//
//                 a           red         circle
//     ▀▀▀▀▀▀▀▀    ▀▀▀▀▀▀▀▀    ▀▀▀▀▀▀▀▀    ▀▀▀▀▀▀▀▀
//
// With colour or greys, every character is two pixels: an upper half block, whose ground is the pixel
// below. Without, characters stand for lightness, and a word's tile has its weights alone.
#pragma once

#include <string>

#include "heed/see/picture_sheet.h"
#include "heed/see/terminal.h"

namespace heed {

struct PictureTerminalStyle {
  Colour colour = Colour::none;
  std::size_t width = 80;  // of the terminal, in columns
  std::int32_t tile = 24;  // columns of a tile; half as many lines where the picture is a square
  PictureSheetStyle sheet = {};  // opacity, upsampling and colours of the weights
};

/// Lines, each ended by a newline.
std::string draw_terminal(const PictureSheet& sheet, const PictureTerminalStyle& style = {});

}  // namespace heed
