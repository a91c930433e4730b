// What a finished hypothesis is worth:
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log max(ε, min(Σ_i α_ij, 1)),   ε = 10⁻⁶
//
// The sum runs over every source slot, the end's included (Wu 2016 §7); ε keeps a slot that sparse
// weights never look at from making every hypothesis worth −∞.
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
