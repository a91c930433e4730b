#include "heed/media/onset.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr size_t onset_reach = 2;  // blocks on either side
constexpr double quiet_decibels = 1.5;
constexpr size_t quiet_blocks = 3;
constexpr size_t blocks_over = 6;
constexpr double over_decibels = 3;
constexpr double decibels_of_a_word = 30;
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

/// The block at `from` and the levels from it until `until`.
struct Stretch {
  size_t first = 0;
  std::vector<double> level;

  Stretch(const SoundLevels& levels, double from, double until) {
    const auto block_at = [&levels](double second) {
      return static_cast<size_t>(std::max(second, 0.0) / levels.block_seconds + 1e-6);
    };
    first = block_at(from);
    const size_t last = std::min(block_at(until) + 1, levels.power.size());
    for (size_t k = first; k < last; ++k) {
      level.push_back(decibels(levels, k));
    }
  }
};

/// The first of `count` levels in a row of at most `most`; the number of all if there are none.
size_t first_in_row(const std::vector<double>& level, double most, size_t count) {
  const auto found = std::search_n(level.begin(), level.end(), static_cast<std::ptrdiff_t>(count),
                                   most, [](double one, double limit) { return one <= limit; });
  return static_cast<size_t>(found - level.begin());
}

}  // namespace

double sound_onset(const SoundLevels& levels, double from, double until) {
  const auto [first, level] = Stretch(levels, from, until);
  if (level.empty()) {
    return until;
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

double sound_end(const SoundLevels& levels, double since, double from, double until) {
  const auto [first, level] = Stretch(levels, from, until);
  if (level.empty()) {
    return until;
  }
  const std::vector<double> word = Stretch(levels, since, from).level;
  const double loudest = word.empty() ? level.front() : *std::max_element(word.begin(), word.end());
  const double quietest = *std::min_element(level.begin(), level.end());
  const double most = std::max(quietest + over_decibels, loudest - decibels_of_a_word);
  for (size_t count = blocks_over; count > 0; --count) {
    const size_t block = first_in_row(level, most, count);
    if (block < level.size()) {
      return std::min(until, static_cast<double>(first + block) * levels.block_seconds);
    }
  }
  return until;
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
