// Draws attention as a PNG file: the same sheet as the SVG's, with the same letters on every machine.
#pragma once

#include <string>
#include <string_view>

#include "heed/see/canvas.h"
#include "heed/see/heat_map.h"

namespace heed {

struct PngStyle {
  double cell_px = 28;
  double scale = 2;           // pixels of the file for a pixel of the sheet
  double darkest = 0;         // the weight drawn darkest; 0: the largest of the map
  bool shows_values = false;  // per cent in every cell
};

std::string draw_png(const HeatMap& map, const PngStyle& style = {});

// Parts of a sheet, for sheets of several maps. Places are in pixels of the sheet.
/// Labels and cells, from (x, y) on. style.darkest must be set.
void paint_map(Canvas& canvas, const HeatMap& map, const PngStyle& style, double x, double y);
/// Right of `left`, around the height `middle`.
void paint_legend(Canvas& canvas, const PngStyle& style, double left, double middle);
void paint_title(Canvas& canvas, const PngStyle& style, std::string_view title, double x, double y);
/// Throws where the style is out of range.
void check_style(const PngStyle& style);

}  // namespace heed
