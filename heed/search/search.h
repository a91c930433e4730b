// Finding the words. A search sees Decoder and State, no more. A step feeds one word to every
// hypothesis under way, and its strategy (strategies.h) chooses among all continuations.
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log min(Σ_i α_ij, 1)
//   norm: none 1,   wu ((5 + |Y|)/6)^α (Wu 2016),   length |Y|^α (Marian);   β: coverage (Wu 2016)
//
// |Y| counts the end token. Ties go to the earlier hypothesis and the lower id, so results do not
// depend on threads.
//
// Two halves share the work. Device: logits, scores of live hypotheses, candidates and the choice among
// them are tensors (frontier.h); a step of beams that all go on needs nothing from the host. Host: reads
// what was chosen as often as the backend says (Backend::steps_between_reads; the CPU: after every
// step), follows the words of every hypothesis back, and says which rows go on when sentences have
// ended or joined, so that rows of finished hypotheses are not computed. A step then costs one
// download, and at most four small uploads (words, scores, parents, rows), whatever the number of rows.
//
// Random draws, the strategy's and those of attention that samples, are keyed by (seed, sentence,
// sample, position): they depend neither on the batch nor on when a sentence joined.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/model/model.h"
#include "heed/search/ensemble.h"
#include "heed/search/frontier.h"
#include "heed/search/hypothesis.h"
#include "heed/search/hypothesis_score.h"
#include "heed/search/search_options.h"
#include "heed/search/sentence_options.h"
#include "heed/search/sentence_search.h"

namespace heed {

class Strategy;

class Search {
 public:
  Search(std::span<const Autoregressive* const> decoders, const Place& place,
         const SearchOptions& options);
  ~Search();

  /// Sentences join: what each decoder remembers of their sources, and their options (none, or one for
  /// each). May be called between any two steps. Returns the first one's number; the others follow.
  int64_t admit(const Ensemble::Memories& memories,
                std::span<const SentenceOptions> sentences = {});
  /// True where no sentence is under way.
  bool is_done() const { return rows_.empty() && pending_.empty(); }
  bool is_done(int64_t sentence) const;
  /// Feeds one word to every hypothesis under way and chooses those to feed next.
  void step();
  /// The sentence's rows are computed no more; what it has finished can be taken.
  void cancel(int64_t sentence);
  /// The n best hypotheses of a sentence that is done, best first; fewer where there are no more. They
  /// are handed out once.
  std::vector<Hypothesis> take(int64_t sentence);

 private:
  /// A row of the decoders' states: whose hypothesis it is.
  struct Row {
    size_t sentence = 0;
    size_t beam = 0;
    bool operator==(const Row&) const = default;
  };
  /// What was chosen in a step and is not read yet.
  struct Unread {
    Tensor chosen;   // [3, F, C]
    Tensor weights;  // [Q, slots], where wanted
    int64_t words_per_row = 1;
  };
  using Values = std::vector<float>;

  Tensor forced_words() const;
  bool must_read() const;
  void read_all();
  void read(const Unread& step);
  void rank_on_host(const Ensemble::Prediction& prediction);
  void note_weights(Beam& beam, const Values& weights, int64_t slots, size_t source) const;
  void grow(SentenceSearch& sentence, Beam& beam, const std::vector<Candidate>& candidates) const;
  void finish(Beam& beam, Hypothesis hypothesis, bool ended) const;
  void renumber_rows();
  void settle();
  void move_rows(const std::vector<int32_t>& parent, bool stays);
  Tensor keys_of_rows() const;
  Tensor on_device(const std::vector<int32_t>& numbers) const;
  void place_hypotheses();

  SearchOptions options_;
  SpecialTokens specials_;  // of the vocabulary that all decoders share
  HypothesisScore score_;
  std::unique_ptr<Strategy> strategy_;
  Place place_;
  Ensemble ensemble_;
  Frontier frontier_;
  Pass pass_;
  std::vector<SentenceSearch> sentences_;
  std::vector<size_t> under_way_;  // the sentences that the frontier holds, in its order
  std::vector<Row> rows_;          // of the decoders' states
  std::vector<int32_t> cells_;     // the row of each of the frontier's hypotheses, −1: none
  std::vector<float> scores_;      // theirs
  std::vector<Unread> pending_;
  Tensor words_;      // i32 [Q]: the word that each row is fed next
  Tensor draw_keys_;  // i32 [Q, 2]: what names a row's sentence and sample in random draws
};

/// One model's part in a search: its decoder, and what it remembers of every source.
struct Member {
  const Autoregressive* decoder = nullptr;
  std::shared_ptr<const Remembered> memory;
};

/// Searches all sentences to their ends: a loop over Search. `sentences`: none, or one for each source.
/// Returns the n best hypotheses of every sentence, best first; fewer where there are no more.
std::vector<std::vector<Hypothesis>> search(std::span<const Member> members,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options);

/// Several models with the same vocabularies predict as one, by the mean of their predictions.
std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch,
                                            std::span<const SentenceOptions> sentences,
                                            const SearchOptions& options);
std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options);

}  // namespace heed
