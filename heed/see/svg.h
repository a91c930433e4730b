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

/// A drawing without its head, from the origin on: a file of its own (svg_file) or one of several in a file (stack.h).
struct SvgPart {
  double width = 0;
  double height = 0;
  std::string body;
};

/// The drawing as a standalone file; `name` is for those who cannot see it.
std::string svg_file(const SvgPart& part, std::string_view name);

// Parts of a sheet, for sheets of several maps.
/// Everything before the drawing itself; `name` is for those who cannot see it.
std::string svg_head(double width, double height, std::string_view name);
/// In bold at (x, y), the middle of its letters; empty for an empty title.
std::string svg_title(std::string_view title, double x, double y);
/// Labels and cells, from the origin on. style.darkest must be set.
std::string svg_map(const HeatMap& map, const SvgStyle& style);
/// Right of `left`, around the height `middle`.
std::string svg_legend(double left, double middle, double darkest);

}  // namespace heed
