// Finds the most probable outputs. A search sees only Decoder and State. A step feeds one word to
// every hypothesis under way, and the strategy (strategies.h) chooses among all continuations.
//
//   score(Y) = log p(Y|X) / norm(|Y|) + β Σ_j log max(ε, min(Σ_i α_ij, 1))     hypothesis_score.h
//   norm: none 1,   wu ((5 + |Y|)/6)^α (Wu 2016),   length |Y|^α (Marian);   β: coverage (Wu 2016)
//
// |Y| counts the end token. Ties go to the earlier hypothesis and the lower id, so results do not
// depend on threads.
//
// Device and host share the work. On the device, the logits, the scores of live hypotheses, the
// candidates and the choice among them are tensors (frontier.h); a step in which all beams continue
// needs nothing from the host. The host reads what was chosen as late as the backend says
// (Backend::steps_ahead: a GPU's host reads a step while the next one runs, the CPU reads each at
// once), collects the words of every hypothesis, and decides which rows continue when sentences have
// ended or joined. Rows of finished hypotheses are not computed; where the device is ahead, they are
// dropped when they are a quarter of all. A step that is read costs one download, and where rows move
// at most four small uploads (words, scores, parents, rows), whatever the number of rows.
//
// Every sentence has its own settings (sentence_settings.h). Those whose continuations are chosen
// alike are a cohort (cohort.h).
//
// Random draws, both the strategy's and those of attention that samples, are keyed by (seed,
// sentence, sample, position). They depend neither on the batch nor on when a sentence joined.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/model/model.h"
#include "heed/nn/shares_products.h"
#include "heed/search/cohort.h"
#include "heed/search/ensemble.h"
#include "heed/search/hypothesis.h"
#include "heed/search/reserve.h"
#include "heed/search/search_options.h"
#include "heed/search/sentence_options.h"
#include "heed/search/sentence_search.h"
#include "heed/search/source_places.h"
#include "heed/search/watching.h"
#include "heed/tensor/arriving.h"

namespace heed {

class Search {
 public:
  /// `options` also has the settings of every sentence that brings none.
  Search(std::span<const Scorer> scorers, const Place& place, const SearchOptions& options);

  /// Adds sentences, given what each decoder remembers of their sources and their options (none, or
  /// one for each). May be called between any two steps, and costs what is new. If there is no room
  /// for all that these and the sentences under way may need until they end, it is OutOfMemory, and
  /// those under way are as they were. Returns the number of the first sentence; the others
  /// follow.
  int64_t admit(const Ensemble::Memories& memories,
                std::span<const SentenceOptions> sentences = {});
  /// Whether no sentence is under way.
  bool is_done() const { return rows_.empty() && pending_.empty(); }
  bool is_done(int64_t sentence) const;
  /// How many were admitted so far.
  int64_t sentences() const { return next_; }
  /// Feeds one word to every hypothesis under way and chooses those to feed next.
  void step();
  /// From the next step on `watcher` hears of this sentence; null: nobody does. It must live until
  /// the sentence is taken, or somebody else watches.
  void watch(int64_t sentence, Watcher* watcher);
  /// Stops the computation of a sentence's rows; its finished hypotheses can be taken.
  void cancel(int64_t sentence);
  /// The n best hypotheses of a sentence that is done, best first; fewer where there are no more.
  /// They can be taken once; nothing is kept of a sentence after that.
  std::vector<Hypothesis> take(int64_t sentence);

 private:
  /// The sentence and beam that a row of the decoders' states belongs to.
  struct Row {
    int64_t sentence = 0;
    size_t beam = 0;
    bool operator==(const Row&) const = default;
  };
  /// The choices of a step that the host has not read yet.
  struct Unread {
    struct Choice {
      Arriving packed;  // [3, F, C]
      int64_t words_per_row = 1;
    };
    std::vector<Choice> chosen;     // of each cohort
    std::vector<HeadChoice> looks;  // the weights that sentences need,
    std::vector<Arriving> weights;  // [Q, slots] of each
    WatchedRows watched;            // what watchers asked for
    Tensor of_model;                // [Q, V], where other scorers are added
    bool went_on = false;           // the device has moved the rows already, without the host
  };
  /// What the choice of a step is made from.
  struct Scored {
    Ensemble::Prediction prediction;
    Tensor keys;                               // i32 [Q, 3], of each row's random numbers
    std::vector<int32_t> forced;               // the word that each row must take, −1: any
    std::vector<std::vector<TokenId>> closed;  // those that may not follow each row; empty: none
    std::vector<std::vector<TokenId>> wanted;  // those that may, however unlikely
  };
  using Values = std::vector<float>;
  /// The weights of a step on the host.
  class RowWeights {
   public:
    /// [Q, slots] of each look, or undefined.
    RowWeights(std::vector<HeadChoice> looks, std::span<Arriving> weights);
    std::span<const float> of(const HeadChoice& look, int32_t row, int32_t count) const;

   private:
    std::vector<HeadChoice> looks_;
    std::vector<size_t> slots_;
    std::vector<Values> values_;
  };

  /// Of the vocabulary that all decoders share.
  const SpecialTokens& specials() const { return ensemble_.main().specials(); }
  SentenceSearch begun(SentenceOptions own, int64_t source_slots);
  Cohort& cohort_for(const SentenceSettings& settings);
  std::vector<int64_t> under_way() const;
  Looks looks() const;
  static std::vector<Arriving> needed_weights(const Ensemble::Prediction& prediction,
                                              const Looks& asked);
  WatchedRows watched_rows(const Ensemble::Prediction& prediction, const Looks& asked) const;
  void grow_watched(int64_t number, size_t beam, const std::vector<Candidate>& candidates,
                    const RowWeights& weights, const ReadRows& read);
  int64_t still_needed(std::span<const SentenceSearch> more) const;
  void take_step();
  std::vector<int32_t> join_sources(const Ensemble::Memories& memories,
                                    std::span<const int32_t> memory_of);
  const SentenceSearch& found(int64_t sentence) const;
  Chosen choose(const Cohort& cohort, const Scored& scored) const;
  int64_t steps_ahead() const { return static_cast<int64_t>(pending_.size()); }
  std::vector<AttentionChange> changes() const;
  std::vector<int32_t> forced_words() const;
  void choose_starts(Scored& scored) const;
  std::vector<std::vector<TokenId>> closed_words() const;
  std::vector<std::vector<TokenId>> wanted_words() const;
  Tensor padded(const std::vector<std::vector<TokenId>>& words) const;
  bool must_read() const;
  bool has_idle_rows() const;
  void go_on(const std::vector<Chosen>& chosen);
  void read_all();
  void read_first();
  void read(Unread& step);
  void read_choice(const Cohort& cohort, Unread::Choice& choice,
                   std::vector<std::vector<Candidate>>& all) const;
  void ask_model(const Tensor& of_model, std::vector<std::vector<Candidate>>& all) const;
  void grow_all(const std::vector<std::vector<Candidate>>& all, const RowWeights& weights,
                const WatchedRows& watched);
  void drop(int64_t sentence);
  int32_t note_weights(const SentenceSearch& sentence, Beam& beam, size_t live,
                       const RowWeights& weights) const;
  void grow(SentenceSearch& sentence, Beam& beam, const std::vector<Candidate>& candidates,
            const RowWeights& weights) const;
  void renumber_rows();
  void settle();
  void move_rows(const std::vector<int32_t>& parent, bool stays);
  Tensor keys_of_rows() const;
  Tensor on_device(const std::vector<int32_t>& numbers) const;
  void drop_empty_cohorts();
  void place_hypotheses();
  void place(Cohort& cohort, bool is_alone) const;

  SearchOptions options_;
  Place place_;
  Ensemble ensemble_;
  Reserve reserve_;  // for the caches of sentences under way, once some have joined others
  Pass pass_;
  SharesProducts shares_{pass_};  // weights must not change as long as a search lives
  std::map<int64_t, SentenceSearch> sentences_;  // those that were not taken, by number
  int64_t next_ = 0;                             // the number of the next sentence
  SourcePlaces places_;
  std::list<Cohort> cohorts_;   // of the sentences under way; the first may be empty
  std::vector<Row> rows_;       // the rows of the decoders' states
  std::deque<Unread> pending_;  // empty: rows of sentences that have ended were dropped
  Tensor words_;                // i32 [Q]: the word that each row is fed next
  Tensor draw_keys_;  // i32 [Q, 2]: the key of a row's sentence and sample for random draws
};

/// Asked before every step; once it says true, the search ends with an Error of kind `cancelled`.
using IsCancelled = std::function<bool()>;

/// Runs a Search until all sentences are done. `sentences` is empty or has one entry for each
/// source. Returns the n best hypotheses of every sentence, best first; fewer where there are no
/// more.
std::vector<std::vector<Hypothesis>> search(std::span<const Scorer> scorers,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options,
                                            const IsCancelled& is_cancelled = {});

/// The search that the first model's main decoder needs (searches.h).
std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch,
                                            std::span<const SentenceOptions> sentences,
                                            const SearchOptions& options,
                                            const IsCancelled& is_cancelled = {});
std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options);

}  // namespace heed
