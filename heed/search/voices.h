// A decoder that takes part in a search, and the weight of its predictions.
#pragma once

#include <string>
#include <vector>

#include "heed/model/model.h"

namespace heed {

struct Voice {
  const Autoregressive* decoder = nullptr;
  double weight = 1;
};

/// The main decoder of the model, and those that `combine` names, each as NAME or NAME=WEIGHT. The
/// weight of the main decoder is 1 unless main=WEIGHT is given. Fault::usage if there is no such
/// decoder, if it is not autoregressive, or if a weight is not a number above 0.
std::vector<Voice> voices_of(const Model& model, const std::vector<std::string>& combine);

}  // namespace heed
