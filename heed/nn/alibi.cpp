#include "heed/nn/alibi.h"

#include <bit>
#include <cmath>

#include "heed/base/error.h"

namespace heed {

std::vector<double> alibi_slopes(int64_t heads) {
  require(heads > 0, "alibi: saw {} heads, needs at least 1", heads);
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<double> slopes;
  for (int64_t h = 1; h <= power; ++h) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  for (int64_t h = 1; h <= heads - power; ++h) {
    slopes.push_back(
        std::exp2(-8.0 * static_cast<double>(2 * h - 1) / static_cast<double>(2 * power)));
  }
  return slopes;
}

}  // namespace heed
