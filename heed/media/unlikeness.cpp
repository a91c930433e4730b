#include "heed/media/unlikeness.h"

#include <algorithm>
#include <vector>

namespace heed {
namespace {

constexpr double loud_deviations = 0.75;  // below the loudest row

/// Mean and mean square difference from it, of one row's numbers.
struct Shape {
  double level = 0;
  double spread = 0;

  explicit Shape(std::span<const float> row) {
    const auto count = static_cast<double>(row.size());
    for (const float number : row) {
      level += number / count;
    }
    for (const float number : row) {
      spread += (number - level) * (number - level) / count;
    }
  }
};

}  // namespace

double unlikeness(std::span<const float> rows, int64_t width) {
  std::vector<Shape> shapes;
  const auto step = static_cast<size_t>(width);
  for (size_t first = 0; first + step <= rows.size(); first += step) {
    shapes.emplace_back(rows.subspan(first, step));
  }
  if (shapes.empty()) {
    return 0;
  }
  const auto louder = [](const Shape& one, const Shape& other) { return one.level < other.level; };
  const double least =
      std::max_element(shapes.begin(), shapes.end(), louder)->level - loud_deviations;
  double sum = 0;
  double count = 0;
  for (const Shape& shape : shapes) {
    if (shape.level > least) {
      sum += shape.spread;
      ++count;
    }
  }
  return sum / count;
}

}  // namespace heed
