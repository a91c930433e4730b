#include "heed/see/sheet.h"

#include <algorithm>

#include "heed/see/font.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

double width_px(std::string_view text) {
  return column_px * static_cast<double>(display_width(short_label(text)));
}

}  // namespace

std::string short_label(std::string_view text) {
  constexpr std::size_t longest_label = 40;
  return shorten(drawn_label(text), longest_label);
}

double title_width_px(std::string_view title) {
  constexpr double bold = 1.06;  // to plain letters
  return bold * title_px / font_px * column_px *
         static_cast<double>(display_width(drawn_label(title)));
}

std::vector<bool> upright_labels(const std::vector<std::string>& columns, double cell) {
  std::vector<bool> stands;
  for (const std::string& label : columns) {
    const bool is_free = stands.empty() || stands.back();
    stands.push_back(width_px(label) <= (is_free ? cell : cell / 2));
  }
  return stands;
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
  reach = std::max(reach, 2 * gap_px + title_width_px(map.title));
  const std::vector<bool> stands = upright_labels(map.columns, cell);
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    if (stands[c]) {
      continue;  // the corner is higher than that
    }
    const double along = rising_slope * (width_px(map.columns[c]) + font_px);
    rise = std::max(rise, along);
    reach = std::max(reach, left + cell * (static_cast<double>(c) + 0.5) + along);
  }
  const double top = gap_px + rise + gap_px + (map.title.empty() ? 0 : 2 * font_px);
  const double bottom = top + cell * static_cast<double>(map.rows.size());
  return {left, top, right, bottom, reach + gap_px, bottom + 4 * font_px};
}

}  // namespace heed
