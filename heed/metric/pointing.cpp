#include "heed/metric/pointing.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

void check_box(const PictureBox& box) {
  require(box.left >= 0 && box.left < box.right && box.right <= 1 && box.top >= 0 &&
              box.top < box.bottom && box.bottom <= 1,
          "pointing: a box from ({}, {}) to ({}, {}) is not possible: 0 ≤ left < right ≤ 1 and 0 ≤ "
          "top < bottom ≤ 1; divide pixels by the size of the picture",
          box.left, box.top, box.right, box.bottom);
}

void check_grid(const WeightGrid& grid) {
  const bool is_filled = grid.rows > 0 && grid.columns > 0 &&
                         grid.weights.size() % grid.columns == 0 &&
                         grid.weights.size() / grid.columns == grid.rows;
  require(is_filled, "pointing: saw {} weights for {} rows of {} cells, needs one for each cell",
          grid.weights.size(), grid.rows, grid.columns);
  bool is_looking = false;
  for (const float weight : grid.weights) {
    require(std::isfinite(weight) && weight >= 0,
            "pointing: saw the weight {}, needs weights of at least 0; normalise the scores",
            weight);
    is_looking = is_looking || weight > 0;
  }
  require(is_looking, "pointing: saw only weights of 0, needs one that is greater");
}

/// The share of cell `number` of `count` equal ones between 0 and 1 that lies between two places.
double covered(std::size_t number, std::size_t count, double from, double to) {
  const auto cells = static_cast<double>(count);
  const auto cell = static_cast<double>(number);
  return std::max(std::min(to * cells, cell + 1) - std::max(from * cells, cell), 0.0);
}

double centre(std::size_t number, std::size_t count) {
  return (static_cast<double>(number) + 0.5) / static_cast<double>(count);
}

}  // namespace

bool points_inside(const WeightGrid& grid, const PictureBox& box) {
  check_grid(grid);
  check_box(box);
  const auto heaviest = static_cast<std::size_t>(
      std::max_element(grid.weights.begin(), grid.weights.end()) - grid.weights.begin());
  const double x = centre(heaviest % grid.columns, grid.columns);
  const double y = centre(heaviest / grid.columns, grid.rows);
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

double mass_inside(const WeightGrid& grid, const PictureBox& box) {
  check_grid(grid);
  check_box(box);
  double inside = 0;
  double all = 0;
  for (std::size_t row = 0; row < grid.rows; ++row) {
    const double height = covered(row, grid.rows, box.top, box.bottom);
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const double weight = grid.weights[row * grid.columns + column];
      all += weight;
      inside += weight * height * covered(column, grid.columns, box.left, box.right);
    }
  }
  return inside / all;
}

}  // namespace heed
