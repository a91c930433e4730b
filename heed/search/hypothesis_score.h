// The score of a finished hypothesis:
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log max(ε, min(Σ_i α_ij, 1)),   ε = 10⁻⁶
//
// The sum runs over all source slots, including the end token's (Wu 2016 §7). Without ε a slot that
// sparse weights never attend to would make every score −∞.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed {

struct SentenceSettings;

/// The choices of `length_norm`.
std::vector<std::string> length_norms();

/// The divisor of a hypothesis's log-probability, without which short hypotheses would always win.
class LengthNorm {
 public:
  LengthNorm(const std::string& name, double alpha);
  /// For |Y| = length ≥ 1.
  double operator()(int64_t length) const { return of_(static_cast<double>(length), alpha_); }

 private:
  double (*of_)(double length, double alpha);
  double alpha_;
};

class HypothesisScore {
 public:
  explicit HypothesisScore(const SentenceSettings& settings);
  bool wants_weights() const { return coverage_ != 0; }
  /// `length` counts the end token; `weights` has a row for each of its words, where they are wanted.
  double operator()(double log_probability, int64_t length,
                    std::span<const std::span<const float>> weights) const;

 private:
  LengthNorm norm_;
  double coverage_;
};

/// Σ_j log max(ε, min(Σ_i α_ij, 1)); 0 where there are no weights.
double coverage_of(std::span<const std::span<const float>> weights);

}  // namespace heed
