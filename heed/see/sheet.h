// The layout of a drawn sheet in pixels: title, slanted column labels, row labels, cells, legend.
// SVG and PNG share it.
#pragma once

#include <string>
#include <string_view>

#include "heed/see/heat_map.h"

namespace heed {

constexpr double font_px = 14;
constexpr double column_px =
    0.62 * font_px;  // a little more than most fonts take for one terminal column
constexpr double gap_px = 8;
constexpr double legend_px = 132;

struct Sheet {
  double left;    // of the cells
  double top;     // of the cells
  double right;   // of the cells
  double bottom;  // of the cells
  double width;
  double height;
};

Sheet lay_out(const HeatMap& map, double cell);

/// A label as a sheet shows it: with everything made visible, and shortened.
std::string short_label(std::string_view text);

}  // namespace heed
