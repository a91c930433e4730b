// Decides after a validation whether the model is the best so far, whether the learning rate falls,
// and whether the run stops early.
//
//   a score gains if it is better than the best so far by more than `min_gain`
//   the run stops after `patience` validations in a row without gain
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heed/train/training.h"

namespace heed {

/// The result of the validations so far, which is part of a checkpoint.
struct Gains {
  std::optional<double> best;  // the best score
  int64_t best_step = 0;
  int64_t without_gain = 0;  // validations since the best
  int64_t falls = 0;         // of the learning rate, if its schedule watches validation
  int64_t since_fall = 0;    // validations without gain since the last fall or gain

  bool operator==(const Gains&) const = default;
};

class Patience {
 public:
  /// `training` must outlive it.
  Patience(const Training& training, bool higher_is_better)
      : training_(training), higher_is_better_(higher_is_better) {}

  struct Verdict {
    bool gained = false;
    bool rate_falls = false;
  };
  /// Adds the score of the validation after `step`.
  Verdict judge(Gains& gains, double score, int64_t step) const;
  /// Whether the run should stop.
  bool is_lost(const Gains& gains) const;
  /// Why it stops after `step`.
  std::string reason(const Gains& gains, int64_t step) const;

 private:
  bool is_gain(double score, const std::optional<double>& best) const;

  const Training& training_;
  bool higher_is_better_;
};

}  // namespace heed
