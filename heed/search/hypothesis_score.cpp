#include "heed/search/hypothesis_score.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/search/sentence_settings.h"

namespace heed {
namespace {

struct NamedNorm {
  const char* name;
  double (*of)(double length, double alpha);
};

constexpr NamedNorm norms_by_name[] = {
    {"none", [](double, double) { return 1.0; }},
    {"wu", [](double length, double alpha) { return std::pow((5 + length) / 6, alpha); }},
    {"length", [](double length, double alpha) { return std::pow(length, alpha); }},
};

}  // namespace

LengthNorm::LengthNorm(const std::string& name, double alpha) : of_(nullptr), alpha_(alpha) {
  for (const NamedNorm& norm : norms_by_name) {
    if (name == norm.name) {
      of_ = norm.of;
    }
  }
  if (of_ == nullptr) {
    fail(Fault::usage, "search: there is no length norm \"{}\"; choose none, wu or length", name);
  }
}

std::vector<std::string> length_norms() {
  std::vector<std::string> names;
  for (const NamedNorm& norm : norms_by_name) {
    names.emplace_back(norm.name);
  }
  return names;
}

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
