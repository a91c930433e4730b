// A decoder that takes part in a search, the weight of its predictions, and what it remembers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/model/model.h"

namespace heed {

/// How a scorer takes part.
enum class ScorerRole {
  mean,    // its prediction is averaged with those of the other scorers of this role, by weight
  added,   // its log-probability, times its weight, is added to theirs: a language model
  prefix,  // a framewise decoder: λ of it and 1 − λ of the mean (Watanabe 2017), λ its weight
};

struct Scorer {
  const Decoder* decoder = nullptr;  // autoregressive, or framewise if it is a prefix
  double weight = 1;
  ScorerRole role = ScorerRole::mean;
  std::shared_ptr<const Remembered> memory = {};  // of every source, where they are known
};

/// What each remembers.
std::vector<std::shared_ptr<const Remembered>> memories_of(std::span<const Scorer> scorers);

/// The main decoder of the model, and those that `combine` names, each as NAME or NAME=WEIGHT. The
/// weight of the main decoder is 1 unless main=WEIGHT is given. Fault::usage if there is no such
/// decoder, if it is not autoregressive, or if a weight is not a number above 0.
std::vector<Scorer> scorers_of(const Model& model, const std::vector<std::string>& combine);

/// The framewise decoders beside the main one; together they have the weight `ctc_weight`.
std::vector<Scorer> prefix_scorers(const Model& model, double ctc_weight);

}  // namespace heed
