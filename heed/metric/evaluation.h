// A score with its signature and details, and its line as sacreBLEU prints it:
//
//   BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 44.2 83.0/57.0/37.2/24.4 …
#pragma once

#include <optional>
#include <span>
#include <string>

#include "heed/base/json.h"
#include "heed/metric/resample.h"

namespace heed {

struct Evaluation {
  std::string metric;  // its name in the catalogue
  std::string title;
  double score = 0;
  std::optional<Confidence> confidence = {};
  std::string details;
  std::string signature;

  /// `title|signature = score (μ = mean ± margin) details`, numbers with `width` decimals.
  std::string line(int width) const;
  /// With the members of sacreBLEU's JSON.
  Json json(int width) const;
};

/// The lines of several evaluations, their equals signs below each other as in sacreBLEU.
std::string below_each_other(std::span<const std::string> lines);

/// What a signature says in addition to the metric's own traits.
struct Procedure {
  std::optional<int> bootstrap = {};
  std::optional<int> randomisation = {};
  std::uint64_t seed = 12345;
};

/// `nrefs:1|bs:1000|seed:12345|case:mixed|…`; "var" where sentences have unequal numbers of
/// references.
std::string signature(const Metric& metric, std::span<const References> references,
                      const Procedure& procedure = {});

/// Without `sampling` the result has no confidence.
Evaluation evaluate(const Metric& metric, std::span<const std::string> hypotheses,
                    std::span<const References> references,
                    const std::optional<Sampling>& sampling = {});

}  // namespace heed
