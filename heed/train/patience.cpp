#include "heed/train/patience.h"

#include <cmath>

#include "heed/base/error.h"

namespace heed {

bool Patience::is_gain(double score, const std::optional<double>& best) const {
  if (!std::isfinite(score)) {
    return false;
  }
  const double sign = higher_is_better_ ? 1 : -1;
  return !best || sign * (score - *best) > training_.min_gain;
}

Patience::Verdict Patience::judge(Gains& gains, double score, int64_t step) const {
  Verdict verdict;
  verdict.gained = is_gain(score, gains.best);
  if (verdict.gained) {
    gains.best = score;
    gains.best_step = step;
  }
  gains.without_gain = verdict.gained ? 0 : gains.without_gain + 1;
  gains.since_fall = verdict.gained ? 0 : gains.since_fall + 1;
  verdict.rate_falls = training_.schedule->falls_after(gains.since_fall);
  if (verdict.rate_falls) {
    ++gains.falls;
    gains.since_fall = 0;
  }
  return verdict;
}

bool Patience::is_lost(const Gains& gains) const {
  return training_.patience > 0 && gains.without_gain >= training_.patience;
}

std::string Patience::reason(const Gains& gains, int64_t step) const {
  const std::string best =
      gains.best ? fmt::format("the best was {:.4g} at step {}", *gains.best, gains.best_step)
                 : std::string("none was finite");
  return fmt::format("stopping early after step {}: {} has not gained for {} validations ({})",
                     step, training_.metric, gains.without_gain, best);
}

}  // namespace heed
