// Whether a model can take every pair of its data, which is known before its first step: it has
// positions for them, and models that give labels find as many as they give.
#pragma once

#include "heed/data/corpus.h"
#include "heed/model/model.h"

namespace heed {

/// Fault::file that names the first pair whose target has another number of labels. Nothing is checked if the
/// model's decoders give no labels, or for pictures, whose rows are cells.
void check_labels(const Model& model, const Corpus& corpus, const char* what);

/// Fault::usage that names the first pair that is longer than the model can read or write. `what` says which data.
void check_lengths(const Model& model, const Corpus& corpus, const char* what);

/// How many rows of memory a source of so many rows becomes.
int64_t slots_of(const Model& model, const RowForm& form, int64_t rows);

}  // namespace heed
