// Finding the words: greedy (beam 1) and beam search. Sees only Decoder and State.
//
//   score(Y) = log p(Y) / norm(|Y|),   norm: none 1,   wu ((5 + |Y|)/6)^α (Wu 2016),   length |Y|^α
//   (Marian)
//
// |Y| counts the end token. Ties go to the earlier hypothesis and the lower id, so results do not
// depend on threads.
#pragma once

#include <string>
#include <vector>

#include "heed/model/model.h"

namespace heed {

struct SearchOptions {
  int64_t beam = 1;
  int64_t n_best = 1;            // at most `beam`
  std::string normalise = "wu";  // none | wu | length
  double alpha = 0.6;
  double length_factor = 3;  // at most factor · |source| + margin words
  int64_t length_margin = 20;
  bool weights = false;  // hand out where each word looked
  int64_t block = -1;    // whose weights: a decoder block, −1: the mean of all
  int64_t head = -1;     // a head, −1: the mean of all
};

struct Hypothesis {
  std::vector<int32_t> ids;  // without the end token
  double log_probability = 0;
  double score = 0;
  bool ended = false;                       // false: the length limit cut it
  std::vector<std::vector<float>> weights;  // [words (+ end), source slots] where asked for
};

/// The n best hypotheses of every sentence, best first.
std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options);

/// Weights [N, S] of the chosen block and head out of a decoder's reports (each [N, H, S]);
/// undefined where the decoder does not look at the source.
Tensor chosen_weights(const std::vector<Attended>& reports, int64_t block, int64_t head);

/// The choices `normalise` has.
std::vector<std::string> length_norms();

}  // namespace heed
