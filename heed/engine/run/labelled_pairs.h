// Whether targets have as many labels as the model gives, for models that give labels.
#pragma once

#include "heed/data/corpus.h"
#include "heed/model/model.h"

namespace heed {

/// Fault::file that names the first pair whose target has another number of labels. Nothing is checked if the
/// model's decoders give no labels, or for pictures, whose rows are cells.
void check_labels(const Model& model, const Corpus& corpus, const char* what);

}  // namespace heed
