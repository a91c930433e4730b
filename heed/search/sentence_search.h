// The host's state of the search of one sentence.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heed/search/hypothesis_score.h"
#include "heed/search/hypothesis_tree.h"
#include "heed/search/sentence_options.h"
#include "heed/search/watcher.h"

namespace heed {

class Cohort;

/// A hypothesis under way, and its row in the decoders' states.
struct LiveHypothesis {
  int32_t node = HypothesisTree::root;
  int32_t row = 0;
  double log_probability = 0;  // where other scorers are added, the weighted sum,
  double of_model = 0;         // and the log-probability in the model alone; here and below
};

/// A hypothesis to which no word is added any more.
struct FinishedHypothesis {
  int32_t node = HypothesisTree::root;     // its last word; the end token is none
  int32_t weights = HypothesisTree::none;  // with which the search chose to end
  bool ended = false;                      // false: it was cut
  double log_probability = 0;
  double of_model = 0;
  double score = 0;
};

/// Hypotheses that compete with each other.
struct Beam {
  HypothesisTree tree;
  std::vector<LiveHypothesis> live;  // best first; empty: the beam is done
  std::vector<FinishedHypothesis> finished;
};

/// A continuation of one of a beam's live hypotheses by one word.
struct Candidate {
  size_t parent = 0;  // among the beam's live hypotheses
  int32_t id = 0;
  double log_probability = 0;  // of the whole hypothesis, this word included
  double of_model = 0;
};

struct SentenceSearch {
  const SentenceSettings& settings() const { return *options.settings; }

  HypothesisScore score;
  std::vector<Beam> beams = {};
  SentenceOptions options = {};  // with settings
  Cohort* cohort = nullptr;      // whose strategy chooses its continuations
  Watcher* watcher = nullptr;    // null: nobody watches
  WatchWish wish = {};
  int32_t memory = 0;     // the place of its source among the remembered ones
  int64_t limit = 0;      // of words
  int64_t length = 0;     // the number of words of each live hypothesis
  bool has_rows = true;   // until the rows of sentences that have ended are dropped
  bool is_taken = false;  // before that

  /// The number of words before the output.
  int64_t before() const { return static_cast<int64_t>(options.start.size()); }
  /// The words between which the model chooses at a position of the start; empty elsewhere.
  std::span<const int32_t> start_at(int64_t position) const {
    return position < before() ? std::span(options.start[static_cast<size_t>(position)])
                               : std::span<const int32_t>();
  }
  /// The word at a position if start or prefix have it or it is given; the search chooses the others.
  std::optional<int32_t> given(int64_t position) const {
    if (const auto some = start_at(position); !some.empty()) {
      return some.size() == 1 ? std::optional(some.front()) : std::nullopt;
    }
    position -= before();
    if (position < static_cast<int64_t>(options.prefix.size())) {
      return options.prefix[static_cast<size_t>(position)];
    }
    const auto found = options.given.find(position);
    return found == options.given.end() ? std::nullopt : std::optional(found->second);
  }
  /// Whether the search does not choose the word at a position.
  bool is_given(int64_t position) const {
    return position < before() || given(position).has_value();
  }
  bool is_live() const {
    for (const Beam& beam : beams) {
      if (!beam.live.empty()) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace heed
