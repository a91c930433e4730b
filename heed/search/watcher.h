// Somebody who looks on while a sentence is searched. After every step that the host reads, a watcher
// hears of each beam
//
//   from           the hypotheses that were continued, each with the k likeliest next words and with
//                  the rows of attention weights that the watcher asked for
//   continuations  what the strategy chose among: kept, finished, cut or pruned, with scores
//
// Hypotheses are nodes of the beam's tree, numbered from 0 (nothing said), so what a watcher hears is
// the tree as it grows. Being watched changes nothing that a search finds. A watcher must not throw.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/search/sentence_settings.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// What a watcher wants to hear beside the continuations.
struct WatchWish {
  int64_t rivals = 0;                   // k: the likeliest next words of every hypothesis
  std::vector<HeadChoice> source = {};  // weights over the source, of these blocks and heads
  std::vector<HeadChoice> self = {};    // weights over the words before, of the main decoder
};

struct WatchedWord {
  TokenId word = 0;
  double log_probability = 0;
};

/// A hypothesis that the step continued.
struct WatchedHypothesis {
  int32_t node = 0;
  double log_probability = 0;
  std::vector<WatchedWord>
      rivals;  // likeliest first, without what rules and prefix forbid or force
  std::vector<std::vector<float>>
      source;  // a row for each that was asked for; empty where there is no
  std::vector<std::vector<float>> self;  // such block or head
};

enum class Fate { kept, finished, cut, pruned };

/// A hypothesis and one more word.
struct WatchedContinuation {
  int32_t parent = 0;  // a node
  int32_t node = -1;   // its own; −1 if it was pruned or ends
  TokenId word = 0;    // the end token where it is finished
  Fate fate = Fate::pruned;
  double log_probability = 0;  // of the whole
  double score = 0;            // by which sentences are ranked; only if finished or cut
};

struct WatchedStep {
  int64_t sentence = 0;  // as Search::admit numbered it
  size_t beam = 0;       // among the beams of the sentence
  int64_t words = 0;     // of each hypothesis, before this step
  std::vector<WatchedHypothesis> from;
  std::vector<WatchedContinuation> continuations;  // in the order of the strategy's choice
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Asked once, when it begins to watch.
  virtual WatchWish wish() const { return {}; }
  virtual void hear(const WatchedStep& step) = 0;
};

}  // namespace heed
