// What a model thinks of given pairs.
//
//   log p(Y|X) = Σ_i log p(y_i | y_<i, X),   i up to and with the end
//   perplexity = exp(−log p / |Y|)
#pragma once

#include <span>
#include <vector>

#include "heed/data/example.h"
#include "heed/model/model_file.h"

namespace heed {

struct PairScore {
  double log_probability = 0;
  int64_t tokens = 0;                         // the end counts
  std::vector<std::string> target;            // tokens as written, and the end
  std::vector<double> token_log_probability;  // of each

  double perplexity() const;
  /// Of this pair and another together.
  void add(const PairScore& other);
};

/// One score a pair, in order. An empty source is an Error of kind `file` that names the pair; an
/// empty target is scored by its end.
std::vector<PairScore> score_pairs(const TrainedModel& trained, std::span<const Example> pairs,
                                   int64_t batch = 64);

}  // namespace heed
