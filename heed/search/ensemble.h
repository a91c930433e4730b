// Several scorers over one vocabulary that predict as one, decoders of one model or of several; one is an
// ensemble of one. With w̄_m = w_m / Σ_k w_k:
//
//   probability       log p(y) = log Σ_m w̄_m p_m(y)
//   log_probability   log p(y) = Σ_m w̄_m log p_m(y) − log Z,   Z so that Σ_y p(y) = 1
//
// Scorers of other roles (scorers.h) are added to it, and the sum is not normalised again:
//
//   score(y) = (1 − Σ_k λ_k) log p(y) + Σ_k λ_k log p_ctc,k(y) + Σ_l β_l log p_lm,l(y)
//
// λ: framewise decoders (Watanabe 2017, Hori 2017), β: language models (shallow fusion, Gulcehre 2015).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/attention_changes.h"
#include "heed/model/decoder.h"
#include "heed/search/ctc_prefixes.h"
#include "heed/search/scorers.h"
#include "heed/search/sentence_settings.h"

namespace heed {

/// The attention weights that a step is asked for.
struct Looks {
  std::vector<HeadChoice> needed;   // over the source, for sentences
  std::vector<HeadChoice> watched;  // over the source, for watchers, if there are such
  std::vector<HeadChoice> self;     // over the words before, of the main decoder, if there are such
};

class Ensemble {
 public:
  /// `mean` is one of ensemble_means().
  Ensemble(std::span<const Scorer> scorers, const std::string& mean);

  using Memories = std::span<const std::shared_ptr<const Remembered>>;  // one for each decoder
  /// An error unless sources like these can be searched with those under way; `weights` says
  /// whether weights will be asked for, `joins` whether any is under way.
  void check(const Memories& memories, bool weights, bool joins);
  /// Begins with a hypothesis for each entry of `memory_of` in every decoder's state.
  void begin(const Memories& memories, std::span<const int32_t> memory_of);
  /// Adds such hypotheses to those under way; the sources become those that `at` names (State::join).
  /// If memory runs out, the hypotheses under way are as they were.
  void join(const Memories& memories, std::span<const int32_t> memory_of,
            std::span<const int32_t> at);
  /// Like State's function, in every decoder.
  void arrange_sources(std::span<const int32_t> kept, int64_t sources);

  struct Prediction {
    Tensor scores;  // [Q, V]: the logits of one decoder, or the log-probabilities of several, or
    bool is_sum = false;  // true: numbers that are added to the hypotheses' scores as they are
    Tensor of_model;      // [Q, V]: where it is a sum, the log-probabilities of the mean alone
    std::vector<Tensor> weights;  // [Q, slots] of each needed and each watched look: the mean over
                                  // decoders that attend
    std::vector<Tensor> self;     // [Q, slots] of each look at the words before
  };
  /// Feeds one word, i32 [Q], to every hypothesis. The changes are of the main decoder's attention.
  Prediction step(const Tensor& ids, const Looks& looks, std::vector<AttentionChange> changes,
                  Pass& pass);

  /// Like State's functions, in every decoder.
  void reorder(const Tensor& parent);
  void select(std::span<const int32_t> rows);

  /// The first decoder.
  const Autoregressive& main() const { return *members_.front().decoder; }
  /// Those of all decoders; 0 before the first step.
  State::CacheBytes cache_bytes() const;
  /// Whether there are scorers of other roles than the mean's.
  bool adds_scorers() const { return !added_.empty() || !prefixes_.empty(); }
  int64_t hypotheses() const { return members_.front().state.hypotheses(); }
  RowPositions position() const { return members_.front().state.position(); }
  /// The number of slots of each source.
  const std::vector<int32_t>& source_lengths() const {
    return members_.front().state.memory().lengths;
  }

 private:
  struct Member {
    const Autoregressive* decoder;
    State state;
    double weight;
  };
  struct Prefix {
    CtcPrefixes prefixes;
    double weight;  // λ
  };
  /// Which of the lists below a scorer is in, and where.
  struct Seat {
    ScorerRole role;
    size_t number;
  };

  void take_seat(const Scorer& scorer);
  Member& member(const Seat& seat) {
    return (seat.role == ScorerRole::mean ? members_ : added_)[seat.number];
  }
  Decoded step_of_main(const Tensor& ids, const Looks& looks, std::vector<AttentionChange> changes,
                       Pass& pass, std::vector<Tensor>& self);
  Tensor sum_with(const Tensor& mean, const Tensor& ids, Pass& pass);

  std::vector<Seat> seats_;  // of the scorers, in their order
  std::vector<Member> members_;
  std::vector<Member> added_;
  std::vector<Prefix> prefixes_;
  bool has_weights_ = false;  // since it began, weights are asked for,
  bool reads_alike_ = true;   // and all decoders have as many slots as each other
  Tensor (*mean_)(const std::vector<Tensor>& logits, const std::vector<double>& weights);
};

}  // namespace heed
