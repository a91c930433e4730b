// Who speaks in a search: a decoder of a model, and how much its word counts.
#pragma once

#include <string>
#include <vector>

#include "heed/model/model.h"

namespace heed {

struct Voice {
  const Autoregressive* decoder = nullptr;
  double weight = 1;
};

/// The main decoder of the model, and those that `combine` names, each as NAME or NAME=WEIGHT. The main
/// one counts 1 unless main=WEIGHT says otherwise. Fault::usage where there is no such decoder, where it
/// does not say a word after the other, or where a weight is no number above 0.
std::vector<Voice> voices_of(const Model& model, const std::vector<std::string>& combine);

}  // namespace heed
