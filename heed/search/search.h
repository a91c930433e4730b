// Finding the words. A search sees Decoder and State, no more: it feeds a word to every hypothesis
// under way, reads what may follow, and asks its strategy (strategies.h) which continuations to
// keep.
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log min(Σ_i α_ij, 1)
//   norm: none 1,   wu ((5 + |Y|)/6)^α (Wu 2016),   length |Y|^α (Marian);   β: coverage (Wu 2016)
//
// |Y| counts the end token. Ties go to the earlier hypothesis and the lower id, so results do not
// depend on threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/model/model.h"
#include "heed/search/hypothesis.h"
#include "heed/search/search_options.h"

namespace heed {

/// What is asked of one sentence beside its source.
struct Wish {
  int64_t number = 0;                // names its random draws, whatever batch it is in
  std::vector<int32_t> prefix = {};  // the words it begins with
  std::vector<std::vector<int32_t>> phrases = {};  // what it must say: strategy `constrained`
};

/// One model's part in a search: how it speaks, and what it remembers of every source.
struct Voice {
  const Decoder* decoder = nullptr;
  std::shared_ptr<const Remembered> memory;
};

/// `wishes`: none, or one for each sentence. Returns the n best hypotheses of every sentence, best
/// first; fewer where there are no more.
std::vector<std::vector<Hypothesis>> search(std::span<const Voice> voices,
                                            std::span<const Wish> wishes, const Place& place,
                                            const SearchOptions& options);

/// Several models with the same vocabularies speak as one, by the mean of what they say.
std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch, std::span<const Wish> wishes,
                                            const SearchOptions& options);
std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options);

}  // namespace heed
