// Draws attention as a PNG file: the same sheet as the SVG's, with bitmap letters.
#pragma once

#include <string>

#include "heed/see/heat_map.h"

namespace heed {

struct PngStyle {
  double cell_px = 28;
  double scale = 2;           // pixels of the file for a pixel of the sheet
  double darkest = 0;         // the weight drawn darkest; 0: the largest of the map
  bool shows_values = false;  // per cent in every cell
};

std::string draw_png(const HeatMap& map, const PngStyle& style = {});

}  // namespace heed
