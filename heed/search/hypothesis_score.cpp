#include "heed/search/hypothesis_score.h"

#include <algorithm>
#include <cmath>

#include "heed/search/sentence_settings.h"

namespace heed {

HypothesisScore::HypothesisScore(const SentenceSettings& settings)
    : norm_(settings.length_norm, settings.alpha), coverage_(settings.coverage) {}

double HypothesisScore::operator()(double log_probability, int64_t length,
                                   std::span<const std::span<const float>> weights) const {
  const double score = log_probability / norm_(std::max<int64_t>(length, 1));
  return coverage_ == 0 ? score : score + coverage_ * coverage_of(weights);
}

double coverage_of(std::span<const std::span<const float>> weights) {
  constexpr double least = 1e-6;
  double total = 0;
  for (size_t j = 0; !weights.empty() && j < weights.front().size(); ++j) {
    double looked = 0;
    for (const std::span<const float> row : weights) {
      looked += row[j];
    }
    total += std::log(std::clamp(looked, least, 1.0));
  }
  return total;
}

}  // namespace heed
