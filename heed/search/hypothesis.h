// A translation that a search has found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heed {

struct Hypothesis {
  std::vector<int32_t> ids;            // without the end token
  double log_probability = 0;          // in the model alone
  std::optional<double> weighted_sum;  // of it and the other scorers that were asked (ensemble.h)
  std::vector<double> each_log_probability;  // of every label, if a labelling decoder said it
  double score = 0;
  bool ended = false;                       // false: it was cut at the length limit
  std::vector<std::vector<float>> weights;  // [words (+ end), source slots], where asked for
};

}  // namespace heed
