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

namespace heed {

struct SearchOptions {
  std::string strategy = "beam";  // a name in the catalogue of strategies
  int64_t beam = 1;               // hypotheses kept at every step, 1: greedy
  int64_t n_best = 1;             // at most `beam`; when sampling, so many samples
  std::string normalise = "wu";   // none | wu | length
  double alpha = 0.6;
  double coverage = 0;       // β
  double length_factor = 3;  // at most factor · |source| + margin words …
  int64_t length_margin = 20;
  int64_t max_length = 0;  // … and at most so many; 0: no such limit

  double temperature = 1;  // sampling: p_i ∝ p_i^(1/temperature),
  int64_t top_k = 0;       // of the k likeliest words; 0: of all,
  double top_p = 1;        // of the fewest that together reach this probability
  uint64_t seed = 1;

  int64_t groups = 1;      // diverse: beams of their own, beam/groups wide each,
  double diversity = 0.5;  // λ: what a word costs for each earlier group that said it

  std::string mean = "probability";  // of an ensemble's: probability | log_probability

  bool weights = false;  // hand out where each word looked
  int64_t block = -1;    // whose weights: a decoder block, −1: the mean of all
  int64_t head = -1;     // a head, −1: the mean of all
};

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

/// The choices `normalise` and `mean` have.
std::vector<std::string> length_norms();
std::vector<std::string> ensemble_means();

}  // namespace heed
