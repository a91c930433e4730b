// A heat map: one row per target word, one column per source word, α_ij in the cell, darker = more
// weight (Bahdanau 2014, figure 3); transposed as Rush 2015 draws it, one row per source word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct HeatMap {
  std::string title;
  std::vector<std::string> rows;     // T labels, any bytes
  std::vector<std::string> columns;  // S labels, any bytes
  std::vector<float> weights;        // [T, S], row-major
  std::string row_axis = "target";
  std::string column_axis = "source";

  float at(std::size_t row, std::size_t column) const {
    return weights[row * columns.size() + column];
  }
};

/// Throws unless there is one weight for each row and column.
void check(const HeatMap& map);

/// The map with rows and columns exchanged, including the names of the axes.
HeatMap transposed(const HeatMap& map);

/// The largest finite weight; 0 where there is none.
double peak(const HeatMap& map);

/// How dark a weight is drawn, in [0, 1]: weight / darkest, clamped; 0 where darkest is 0; NaN
/// stays NaN.
double darkness(double weight, double darkest);

/// A label as it is drawn: with everything made visible, and with ␣ for each blank where there is
/// nothing else.
std::string drawn_label(std::string_view text);

}  // namespace heed
