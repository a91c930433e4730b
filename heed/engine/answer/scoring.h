// The probability that a model gives to pairs or, if it reads no source, to texts.
//
//   log p(Y|X) = Σ_i log p(y_i | y_<i, X),   i up to the end token, which is included
//   perplexity = exp(−log p / |Y|)
#pragma once

#include <span>
#include <vector>

#include "heed/data/example.h"
#include "heed/data/source.h"
#include "heed/model/file/model_file.h"

namespace heed {

struct PairScore {
  double log_probability = 0;
  int64_t tokens = 0;                         // including the end token
  std::vector<std::string> target;            // the tokens as written, and the end token
  std::vector<double> token_log_probability;  // of each token

  double perplexity() const;
  /// Adds another pair's numbers, for scores of several pairs.
  void add(const PairScore& other);
};

/// log p(y_i | y_<i, x) of every target token of a batch, the ends included; of a parallel decoder,
/// of its hidden words given the others.
std::vector<double> target_log_probabilities(const Decoded& decoded, const Batch& batch,
                                             const SpecialTokens& specials);

/// One score for each pair, in order. An empty source is an Error of kind `file` that names the
/// pair; the score of an empty target is that of its end token. Slots that the model draws are
/// drawn by the seed and the number of the pair, as a search draws them for a line.
std::vector<PairScore> score_pairs(const TrainedModel& trained, std::span<const Example> pairs,
                                   int64_t batch = 64, uint64_t seed = 1);
/// The score of one pair, whose source may be bytes.
PairScore score_pair(const TrainedModel& trained, const Source& source, const std::string& target);

}  // namespace heed
