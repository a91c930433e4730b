#include "heed/metric/resample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/metric/pcg64.h"

namespace heed {
namespace {

void add(Statistics& sum, const Statistics& one) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += one[i];
  }
}

void check(std::span<const Statistics> sentences, const Sampling& sampling) {
  require(!sentences.empty() && sampling.samples > 0,
          "resample: saw {} sentences and {} samples, needs some of both; give them",
          sentences.size(), sampling.samples);
}

void check(std::span<const Statistics> baseline, std::span<const Statistics> system,
           const Sampling& sampling) {
  check(baseline, sampling);
  require(baseline.size() == system.size(),
          "resample: saw {} sentences of one system and {} of the other, needs the same sentences; "
          "pair them",
          baseline.size(), system.size());
}

/// The scores of bootstrap samples; the same seed draws the same sentences of any system.
std::vector<double> bootstrap_scores(const Metric& metric, std::span<const Statistics> sentences,
                                     const Sampling& sampling) {
  Pcg64 generator(sampling.seed);
  const auto count = static_cast<std::uint32_t>(sentences.size());
  std::vector<double> scores;
  for (int sample = 0; sample < sampling.samples; ++sample) {
    Statistics sum(sentences.front().size());
    for (std::uint32_t i = 0; i < count; ++i) {
      add(sum, sentences[generator.below(count)]);
    }
    scores.push_back(metric.score(sum));
  }
  return scores;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

PairedTest beyond(const std::vector<double>& differences, double real) {
  const auto count = std::count_if(differences.begin(), differences.end(),
                                   [&](double difference) { return difference > real; });
  return {static_cast<double>(count + 1) / static_cast<double>(differences.size() + 1)};
}

double real_difference(const Metric& metric, std::span<const Statistics> baseline,
                       std::span<const Statistics> system) {
  return std::abs(metric.score(sum_of(baseline)) - metric.score(sum_of(system)));
}

}  // namespace

Confidence bootstrap(const Metric& metric, std::span<const Statistics> sentences,
                     const Sampling& sampling) {
  check(sentences, sampling);
  std::vector<double> scores = bootstrap_scores(metric, sentences, sampling);
  std::sort(scores.begin(), scores.end());
  const std::size_t tail = scores.size() / 40;
  return {mean_of(scores), 0.5 * (scores[scores.size() - 1 - tail] - scores[tail])};
}

PairedTest paired_bootstrap(const Metric& metric, std::span<const Statistics> baseline,
                            std::span<const Statistics> system, const Sampling& sampling) {
  check(baseline, system, sampling);
  const std::vector<double> first = bootstrap_scores(metric, baseline, sampling);
  const std::vector<double> second = bootstrap_scores(metric, system, sampling);
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(),
                 [](double a, double b) { return std::abs(a - b); });
  const double mean = mean_of(differences);
  for (double& difference : differences) {
    difference -= mean;
  }
  return beyond(differences, real_difference(metric, baseline, system));
}

PairedTest paired_randomisation(const Metric& metric, std::span<const Statistics> baseline,
                                std::span<const Statistics> system, const Sampling& sampling) {
  check(baseline, system, sampling);
  Pcg64 generator(sampling.seed);
  Pcg64Bits coin(generator);
  std::vector<double> differences;
  for (int sample = 0; sample < sampling.samples; ++sample) {
    Statistics first(baseline.front().size());
    Statistics second(first.size());
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      const bool stays = coin.next();
      add(first, stays ? baseline[i] : system[i]);
      add(second, stays ? system[i] : baseline[i]);
    }
    differences.push_back(std::abs(metric.score(first) - metric.score(second)));
  }
  return beyond(differences, real_difference(metric, baseline, system));
}

}  // namespace heed
