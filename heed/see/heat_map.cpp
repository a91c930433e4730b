#include "heed/see/heat_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {

void check(const HeatMap& map) {
  require(map.weights.size() == map.rows.size() * map.columns.size(),
          "HeatMap: saw {} weights, needs {} rows × {} columns = {}; give one weight for each cell",
          map.weights.size(), map.rows.size(), map.columns.size(),
          map.rows.size() * map.columns.size());
}

HeatMap transposed(const HeatMap& map) {
  check(map);
  HeatMap turned = map;
  std::swap(turned.rows, turned.columns);
  std::swap(turned.row_axis, turned.column_axis);
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      turned.weights[column * map.rows.size() + row] = map.at(row, column);
    }
  }
  return turned;
}

double peak(const HeatMap& map) {
  double largest = 0;
  for (const double weight : map.weights) {
    largest = std::isfinite(weight) ? std::max(largest, weight) : largest;
  }
  return largest;
}

double darkness(double weight, double darkest) {
  if (std::isnan(weight)) {
    return weight;
  }
  return darkest > 0 ? std::clamp(weight / darkest, 0.0, 1.0) : 0.0;
}

std::string drawn_label(std::string_view text) {
  std::string boxes;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    const bool is_blank = is_white_space(one.code) && one.code >= 0x20;  // tabs have pictures
    if (one.length == 0 || !is_blank) {
      return make_visible(text);
    }
    boxes += "␣";
    at += one.length;
  }
  return boxes;
}

}  // namespace heed
