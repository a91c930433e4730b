// What a labelling decoder answers: the likeliest label of every row, at once. There is nothing to
// search for.
#pragma once

#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/search/hypothesis.h"

namespace heed {

/// One hypothesis a sentence: its labels but the last, which belongs to the end token, and
/// log p = Σ_j log p(y_j | x) over all of them.
std::vector<std::vector<Hypothesis>> label(const Model& model, const Batch& batch);

}  // namespace heed
