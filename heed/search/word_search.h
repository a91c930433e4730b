// The search of decoders that write one word after the other, for a whole batch: its sentences are
// admitted to a Search at once and stepped to their ends. Several models with the same vocabularies
// predict as one, by the mean of their predictions; so do the decoders of a model that the options
// combine. Framewise decoders beside the main one and a language model add their scores (ensemble.h).
#pragma once

#include <memory>

#include "heed/search/searches.h"

namespace heed {

std::unique_ptr<BatchSearch> word_search(const SearchRequest& request);

/// Fault::usage if a number of words is asked of a decoder that ends by itself.
void check_ends_by_itself(const Decoder& main, const SearchOptions& options);

}  // namespace heed
