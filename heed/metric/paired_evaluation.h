// Two systems' outputs for the same sentences, measured by one metric, and whether they differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "heed/metric/evaluation.h"

namespace heed {

/// One system of a pair.
struct SystemScore {
  std::string name;
  Evaluation made;
  std::optional<double> p = {};  // of the second: that chance alone makes such a difference

  std::string line(int width) const;
  Json json() const;
};

enum class PairedTestKind { bootstrap, randomisation };

struct SystemOutput {
  std::string name;
  std::span<const std::string> lines;
};

/// The second is tested against the first. `samples` is 0 for as many as are usual.
std::pair<SystemScore, SystemScore> evaluate_pair(const Metric& metric, const SystemOutput& first,
                                                  const SystemOutput& second,
                                                  std::span<const References> references,
                                                  PairedTestKind test, const Sampling& sampling);

}  // namespace heed
