// The score of a finished hypothesis:
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log max(ε, min(Σ_i α_ij, 1)),   ε = 10⁻⁶
//
// The sum runs over all source slots, including the end token's (Wu 2016 §7). Without ε a slot that
// sparse weights never attend to would make every score −∞.
#pragma once

#include "heed/search/hypothesis.h"
#include "heed/search/length_norm.h"

namespace heed {

struct SearchOptions;

class HypothesisScore {
 public:
  explicit HypothesisScore(const SearchOptions& options);
  double operator()(const Hypothesis& hypothesis) const;

 private:
  LengthNorm norm_;
  double coverage_;
};

/// Σ_j log max(ε, min(Σ_i α_ij, 1)); 0 where there are no weights.
double coverage_of(const std::vector<std::vector<float>>& weights);

}  // namespace heed
