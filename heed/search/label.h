// The answer of a labelling decoder: the likeliest label of every row, all at once. No search is
// needed.
#pragma once

#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/search/hypothesis.h"

namespace heed {

/// One hypothesis a sentence: its labels without the last, which belongs to the end token, and
/// log p = Σ_j log p(y_j | x) over all of them, the last included.
std::vector<std::vector<Hypothesis>> label(const Model& model, const Batch& batch);

}  // namespace heed
