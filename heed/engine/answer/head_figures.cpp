#include "heed/engine/answer/head_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"

namespace heed {
namespace {

/// Σ_j p_j |j − d| and the largest |j − d|, p a row that adds up to 1.
struct Off {
  double mean = 0;
  double most = 0;
};

Off off_diagonal(std::span<const float> row, double sum, double diagonal) {
  Off off;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double distance = std::abs(static_cast<double>(j) - diagonal);
    off.mean += static_cast<double>(row[j]) / sum * distance;
    off.most = std::max(off.most, distance);
  }
  return off;
}

/// −Σ p ln p of the row divided by its sum.
double entropy_of_row(std::span<const float> row, double sum) {
  return entropy(row) / sum + std::log(sum);
}

std::size_t rows_of(std::span<const float> map, std::size_t columns) {
  require(columns > 0 && map.size() % columns == 0,
          "attention: saw {} weights in rows of {}, needs whole rows", map.size(), columns);
  return map.size() / columns;
}

}  // namespace

HeadFigures figures_of(std::span<const float> map, std::size_t columns, bool in_line) {
  const std::size_t rows = rows_of(map, columns);
  double counted = 0;
  double spread = 0;
  double distance = 0;
  double diagonality = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = map.subspan(i * columns, columns);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0)) {
      continue;
    }
    const double slots_a_row = static_cast<double>(columns) / static_cast<double>(rows);
    const double diagonal = std::clamp((static_cast<double>(i) + 0.5) * slots_a_row - 0.5, 0.0,
                                       static_cast<double>(columns - 1));
    const Off off = off_diagonal(row, sum, diagonal);
    counted += 1;
    spread += entropy_of_row(row, sum);
    distance += off.mean;
    diagonality += off.most > 0 ? 1 - off.mean / off.most : 1;
  }
  HeadFigures out;
  if (counted > 0) {
    out.entropy = spread / counted;
  }
  if (counted > 0 && in_line) {
    out.distance = distance / counted;
    out.diagonality = diagonality / counted;
  }
  return out;
}

Thumbnail thumbnail_of(std::span<const float> map, std::size_t columns, std::size_t side) {
  require(side > 0, "attention: saw a thumbnail of 0 cells, needs some");
  const std::size_t rows = rows_of(map, columns);
  Thumbnail out{std::min(rows, side), std::min(columns, side), {}};
  for (std::size_t y = 0; y < out.rows; ++y) {
    const std::size_t top = y * rows / out.rows;
    const std::size_t bottom = (y + 1) * rows / out.rows;
    for (std::size_t x = 0; x < out.columns; ++x) {
      const std::size_t left = x * columns / out.columns;
      const std::size_t right = (x + 1) * columns / out.columns;
      double sum = 0;
      for (std::size_t i = top; i < bottom; ++i) {
        const auto row = map.subspan(i * columns + left, right - left);
        sum = std::accumulate(row.begin(), row.end(), sum);
      }
      out.weights.push_back(
          static_cast<float>(sum / static_cast<double>((bottom - top) * (right - left))));
    }
  }
  return out;
}

namespace {

Json written_head(const std::vector<float>& map, const AttentionMaps& maps, std::size_t side) {
  const HeadFigures figures = figures_of(map, maps.columns.size(), maps.grid.height == 0);
  Json head = Json::object();
  head.set("entropy", figures.entropy);
  if (figures.distance) {
    head.set("distance", *figures.distance);
  }
  if (figures.diagonality) {
    head.set("diagonality", *figures.diagonality);
  }
  const Thumbnail small = thumbnail_of(map, maps.columns.size(), side);
  Json rows = Json::array();
  for (std::size_t y = 0; y < small.rows; ++y) {
    Json row = Json::array();
    for (std::size_t x = 0; x < small.columns; ++x) {
      row.push(static_cast<double>(small.weights[y * small.columns + x]));
    }
    rows.push(std::move(row));
  }
  head.set("thumbnail", std::move(rows));
  return head;
}

}  // namespace

Json written_heads(const AttentionMaps& maps, std::size_t side) {
  Json blocks = Json::array();
  for (const AttentionMaps::Block& block : maps.blocks) {
    Json heads = Json::array();
    for (const std::vector<float>& map : block.heads) {
      heads.push(written_head(map, maps, side));
    }
    Json one = Json::object();
    one.set("heads", std::move(heads));
    blocks.push(std::move(one));
  }
  Json object = Json::object();
  object.set("of", name_of(maps.of));
  object.set("rows", maps.rows.size());
  object.set("columns", maps.columns.size());
  object.set("blocks", std::move(blocks));
  return object;
}

}  // namespace heed
