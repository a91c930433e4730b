// Whether a model has positions for every pair of its data, which is known before its first step.
#pragma once

#include "heed/data/corpus.h"
#include "heed/model/model.h"

namespace heed {

/// Fault::usage that names the first pair that is longer than the model can read or write. `what` says which data.
void check_lengths(const Model& model, const Corpus& corpus, const char* what);

/// How many rows of memory a source of so many rows becomes.
int64_t slots_of(const Model& model, const RowForm& form, int64_t rows);

}  // namespace heed
