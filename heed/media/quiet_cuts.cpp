#include "heed/media/quiet_cuts.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr size_t reach = 10;  // blocks on either side

/// Q_k of a stretch that only moves forwards, from the sums of its powers. A recording of two days has 17 million blocks,
/// so only the sums of the stretch are kept.
class Smoothed {
 public:
  explicit Smoothed(const std::vector<float>& power) : power_(power) {}

  /// No block before this one is asked for again.
  void forget_before(size_t block) {
    const size_t first = block < reach ? 0 : block - reach;
    while (first_ < first && sums_.size() > 1) {
      sums_.pop_front();
      ++first_;
    }
  }
  double at(size_t block) {
    const size_t first = block < reach ? 0 : block - reach;
    const size_t last = std::min(block + reach + 1, power_.size());
    while (first_ + sums_.size() <= last) {
      sums_.push_back(sums_.back() + power_[first_ + sums_.size() - 1]);
    }
    return (sums_[last - first_] - sums_[first - first_]) / static_cast<double>(last - first);
  }

 private:
  const std::vector<float>& power_;
  std::deque<double> sums_ = {0};  // of all blocks before first_, first_ + 1, …
  size_t first_ = 0;
};

}  // namespace

std::vector<double> quiet_cuts(const SoundLevels& levels, double most_seconds) {
  require(most_seconds >= 4 * levels.block_seconds,
          "cuts: saw parts of at most {} seconds, needs at least {}", most_seconds,
          4 * levels.block_seconds);
  const auto most = static_cast<size_t>(
      std::min(most_seconds / levels.block_seconds, static_cast<double>(levels.power.size())));
  Smoothed quiet(levels.power);
  std::vector<double> cuts;
  for (size_t from = 0; levels.power.size() - from > most;) {
    size_t quietest = from + most / 2;
    quiet.forget_before(quietest);
    for (size_t block = quietest; block <= from + most; ++block) {
      quietest = quiet.at(block) < quiet.at(quietest) ? block : quietest;
    }
    from = quietest;
    cuts.push_back(static_cast<double>(from) * levels.block_seconds);
  }
  return cuts;
}

}  // namespace heed
