#include "heed/media/onset.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr size_t onset_reach = 2;  // blocks on either side
constexpr double quiet_decibels = 1.5;
constexpr size_t quiet_blocks = 3;
constexpr double least_power = 1e-12;  // of digital silence, which has no logarithm

double decibels(const SoundLevels& levels, size_t block) {
  const size_t first = block < onset_reach ? 0 : block - onset_reach;
  const size_t last = std::min(block + onset_reach + 1, levels.power.size());
  double sum = 0;
  for (size_t k = first; k < last; ++k) {
    sum += levels.power[k];
  }
  return 10 * std::log10(sum / static_cast<double>(last - first) + least_power);
}

}  // namespace

double sound_onset(const SoundLevels& levels, double from, double until) {
  const auto block_at = [&levels](double second) {
    return static_cast<size_t>(std::max(second, 0.0) / levels.block_seconds + 1e-6);
  };
  const size_t first = block_at(from);
  const size_t last = std::min(block_at(until) + 1, levels.power.size());
  if (first >= last) {
    return until;
  }
  std::vector<double> level;
  for (size_t k = first; k < last; ++k) {
    level.push_back(decibels(levels, k));
  }
  const auto quietest = std::min_element(level.begin(), level.end());
  const double most = *quietest + quiet_decibels;
  size_t in_row = 0;
  for (size_t k = level.size(); k-- > 0;) {
    in_row = level[k] <= most ? in_row + 1 : 0;
    if (in_row == quiet_blocks) {
      return std::min(until, static_cast<double>(first + k + quiet_blocks) * levels.block_seconds);
    }
  }
  const auto block = first + static_cast<size_t>(quietest - level.begin());
  return std::min(until, static_cast<double>(block) * levels.block_seconds);
}

SoundLevels levels_of(const Sound& sound) {
  SoundLevels levels;
  const double samples_of_block = levels.block_seconds * sound.rate;
  std::vector<int64_t> counts;
  for (size_t n = 0; n < sound.samples.size(); ++n) {
    const auto at = static_cast<size_t>(static_cast<double>(n) / samples_of_block);
    levels.power.resize(std::max(levels.power.size(), at + 1), 0);
    counts.resize(levels.power.size(), 0);
    levels.power[at] += sound.samples[n] * sound.samples[n];
    ++counts[at];
  }
  for (size_t at = 0; at < counts.size(); ++at) {
    levels.power[at] /= static_cast<float>(std::max<int64_t>(counts[at], 1));
  }
  return levels;
}

}  // namespace heed
