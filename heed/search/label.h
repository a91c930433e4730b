// The answer of a labelling decoder: the likeliest label of every row of the source, or of the whole,
// all at once. No search is needed.
#pragma once

#include "heed/search/batch_search.h"

namespace heed {

/// One hypothesis a sentence, with log p = Σ_j log p(y_j | x); for a decoder that gives the whole
/// source one label, the `n_best` likeliest labels. Special tokens other than unknown are no labels.
/// There is no end token. The weights are those of the labels, if the decoder attends.
std::unique_ptr<BatchSearch> label_search(const Model& model, const Batch& batch,
                                          const SearchOptions& options);

}  // namespace heed
