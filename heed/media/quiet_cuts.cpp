#include "heed/media/quiet_cuts.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr size_t reach = 10;  // blocks on either side

std::vector<double> smoothed(const std::vector<float>& power) {
  std::vector<double> sums(power.size() + 1, 0);
  for (size_t k = 0; k < power.size(); ++k) {
    sums[k + 1] = sums[k] + power[k];
  }
  std::vector<double> smooth(power.size());
  for (size_t k = 0; k < power.size(); ++k) {
    const size_t first = k < reach ? 0 : k - reach;
    const size_t last = std::min(k + reach + 1, power.size());
    smooth[k] = (sums[last] - sums[first]) / static_cast<double>(last - first);
  }
  return smooth;
}

}  // namespace

std::vector<double> quiet_cuts(const SoundLevels& levels, double most_seconds) {
  require(most_seconds >= 4 * levels.block_seconds,
          "cuts: saw parts of at most {} seconds, needs at least {}", most_seconds,
          4 * levels.block_seconds);
  const auto most = static_cast<size_t>(
      std::min(most_seconds / levels.block_seconds, static_cast<double>(levels.power.size())));
  const std::vector<double> quiet = smoothed(levels.power);
  std::vector<double> cuts;
  for (size_t from = 0; quiet.size() - from > most;) {
    const auto first = quiet.begin() + static_cast<std::ptrdiff_t>(from + most / 2);
    const auto last = quiet.begin() + static_cast<std::ptrdiff_t>(from + most + 1);
    from = static_cast<size_t>(std::min_element(first, last) - quiet.begin());
    cuts.push_back(static_cast<double>(from) * levels.block_seconds);
  }
  return cuts;
}

}  // namespace heed
