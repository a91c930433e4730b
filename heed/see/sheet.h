// The layout of a drawn sheet in pixels: title, column labels, row labels, cells, legend.
// SVG and PNG share it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/see/heat_map.h"

namespace heed {

constexpr double font_px = 14;
constexpr double column_px =
    0.62 * font_px;  // a little more than most fonts take for one terminal column
constexpr double title_px = 1.15 * font_px;
constexpr double axis_px = 12;     // names of the axes, and the legend
constexpr double value_px = 10.5;  // numbers in cells
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

/// Which of the column labels stand upright above their cells: those that are no wider than their cell. The others rise at 45°, so
/// that a label which follows one of them must be half as narrow, or it would be crossed.
std::vector<bool> upright_labels(const std::vector<std::string>& columns, double cell);

/// How wide a title is, which is never shortened; 0 if it is empty.
double title_width_px(std::string_view title);

/// A label as a sheet shows it: with everything made visible, and shortened.
std::string short_label(std::string_view text);

}  // namespace heed
