#include "heed/see/upsample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heed/base/error.h"

namespace heed {
namespace {

/// What a pixel takes of each cell along one direction.
using Shares = std::vector<double>;

/// Where the middle of a pixel lies, counted in cells from the middle of the first cell.
double place_of(std::int32_t pixel, std::int32_t pixels, std::int32_t cells) {
  return (pixel + 0.5) * cells / pixels - 0.5;
}

Shares bilinear_shares(double place, std::int32_t cells) {
  Shares shares(static_cast<std::size_t>(cells), 0);
  const double inside = std::clamp(place, 0.0, cells - 1.0);
  const auto first = static_cast<std::size_t>(inside);
  const double part = inside - static_cast<double>(first);
  shares[first] = 1 - part;
  if (first + 1 < shares.size()) {
    shares[first + 1] = part;
  }
  return shares;
}

Shares gaussian_shares(double place, std::int32_t cells) {
  constexpr double deviation = 0.5;
  Shares shares;
  double sum = 0;
  for (std::int32_t cell = 0; cell < cells; ++cell) {
    const double distance = (place - cell) / deviation;
    shares.push_back(std::exp(-distance * distance / 2));
    sum += shares.back();
  }
  for (double& share : shares) {
    share /= sum;
  }
  return shares;
}

std::vector<Shares> shares_of(std::int32_t pixels, std::int32_t cells, Upsampling how) {
  std::vector<Shares> all;
  for (std::int32_t pixel = 0; pixel < pixels; ++pixel) {
    const double place = place_of(pixel, pixels, cells);
    all.push_back(how == Upsampling::gaussian ? gaussian_shares(place, cells)
                                              : bilinear_shares(place, cells));
  }
  return all;
}

}  // namespace

std::vector<double> upsampled(std::span<const float> cells, const GridSize& from,
                              const GridSize& to, Upsampling how) {
  const auto height = static_cast<std::size_t>(std::max(from.height, 0));
  const auto width = static_cast<std::size_t>(std::max(from.width, 0));
  require(
      height > 0 && width > 0 && cells.size() == height * width && to.height > 0 && to.width > 0,
      "upsampling: saw {} weights for {} × {} cells and {} × {} pixels, needs one for each "
      "cell, and a pixel",
      cells.size(), from.height, from.width, to.height, to.width);
  // The kernels are products of one for each direction, so rows are made first.
  const std::vector<Shares> across = shares_of(to.width, from.width, how);
  std::vector<double> rows;  // [height, to.width]
  for (std::size_t row = 0; row < height; ++row) {
    for (const Shares& shares : across) {
      double sum = 0;
      for (std::size_t cell = 0; cell < width; ++cell) {
        sum += shares[cell] == 0 ? 0 : shares[cell] * cells[row * width + cell];
      }
      rows.push_back(sum);
    }
  }
  std::vector<double> pixels;
  for (const Shares& shares : shares_of(to.height, from.height, how)) {
    for (std::size_t x = 0; x < across.size(); ++x) {
      double sum = 0;
      for (std::size_t row = 0; row < height; ++row) {
        sum += shares[row] == 0 ? 0 : shares[row] * rows[row * across.size() + x];
      }
      pixels.push_back(sum);
    }
  }
  return pixels;
}

}  // namespace heed
