// Draws attention as a standalone SVG: words on both axes, slanted column labels, and the exact
// weight on hover.
#pragma once

#include <string>
#include <string_view>

#include "heed/see/heat_map.h"

namespace heed {

struct SvgStyle {
  double cell_px = 28;
  double darkest = 0;         // the weight drawn darkest; 0: the largest of the map
  bool shows_values = false;  // per cent in every cell
};

/// Text as it may stand in an SVG.
std::string svg_text(std::string_view text);

std::string draw_svg(const HeatMap& map, const SvgStyle& style = {});

}  // namespace heed
