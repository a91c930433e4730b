// Draws numbers over the steps of a run, or over another number, as a standalone SVG: a panel for each
// quantity, in it a line for each run, and the exact numbers on hover.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heed {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (step, value), finite, in the order of steps
};

/// As many curves of a panel have colours that can be told apart.
inline constexpr size_t most_curves = 7;

struct CurvePanel {
  std::string title;
  std::vector<Curve> curves;
  std::string over =
      "step";  // what the first number of a point is; other names are written below the axis
};

/// Round numbers from `least` to `most`, about `count` of them: multiples of 1, 2 or 5 · 10^k.
std::vector<double> round_marks(double least, double most, int count);

/// Two panels in a row; names of curves are in a legend where there are several.
std::string draw_curves(const std::vector<CurvePanel>& panels);

}  // namespace heed
