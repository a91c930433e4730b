#include "heed/see/sheet.h"

#include <algorithm>
#include <numbers>

#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr double slant = std::numbers::sqrt2 / 2;  // cos 45° = sin 45°

double width_px(std::string_view text) {
  return column_px * static_cast<double>(display_width(short_label(text)));
}

}  // namespace

std::string short_label(std::string_view text) {
  constexpr std::size_t longest_label = 40;
  return shorten(drawn_label(text), longest_label);
}

Sheet lay_out(const HeatMap& map, double cell) {
  double left = std::max(width_px(map.row_axis + " ↓"), width_px(map.column_axis + " →"));
  for (const std::string& row : map.rows) {
    left = std::max(left, width_px(row));
  }
  left += 2 * gap_px;
  const double right = left + cell * static_cast<double>(map.columns.size());
  double rise = 2.5 * font_px;  // the corner holds the names of both axes
  double reach = std::max(right, left + legend_px + 8 * column_px);
  reach = std::max(reach, 2 * gap_px + 1.15 * width_px(map.title));
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    const double along = slant * (width_px(map.columns[c]) + font_px);
    rise = std::max(rise, along);
    reach = std::max(reach, left + cell * (static_cast<double>(c) + 0.5) + along);
  }
  const double top = gap_px + rise + gap_px + (map.title.empty() ? 0 : 2 * font_px);
  const double bottom = top + cell * static_cast<double>(map.rows.size());
  return {left, top, right, bottom, reach + gap_px, bottom + 4 * font_px};
}

}  // namespace heed
