// Confidence intervals of scores and tests of whether two systems differ, by scoring samples of the
// sentences. The tests and their random draws (pcg64.h) are sacreBLEU's, for every metric of the
// catalogue.
#pragma once

#include <cstdint>
#include <span>

#include "heed/metric/metric.h"

namespace heed {

struct Sampling {
  int samples = 1000;
  std::uint64_t seed = 12345;
};

/// Mean of the samples' scores, and half the width of the interval that holds 95 % of them.
struct Confidence {
  double mean = 0;
  double margin = 0;
};

/// Bootstrap (Koehn 2004): each sample draws as many sentences as there are, with replacement.
Confidence bootstrap(const Metric& metric, std::span<const Statistics> sentences,
                     const Sampling& sampling = {});

/// The probability that chance alone makes a difference as large as that between two systems'
/// scores, |f(A) − f(B)| = δ. Both systems translated the same sentences.
struct PairedTest {
  double p = 1;  // (c + 1) / (samples + 1), c = the number of samples that exceed δ
};

/// Both systems on the same bootstrap samples; c counts |f(A') − f(B')| − its mean > δ.
PairedTest paired_bootstrap(const Metric& metric, std::span<const Statistics> baseline,
                            std::span<const Statistics> system, const Sampling& sampling = {});

/// Approximate randomisation (Noreen 1989, Riezler and Maxwell 2005): the two outputs of each
/// sentence are exchanged with probability 1/2; c counts |f(A') − f(B')| > δ.
PairedTest paired_randomisation(const Metric& metric, std::span<const Statistics> baseline,
                                std::span<const Statistics> system,
                                const Sampling& sampling = {.samples = 10000});

}  // namespace heed
