// How one sentence is searched. Sentences of one search may differ in all of it: each finds what it
// finds alone. What they share (decoders, their mean, the strategy) is in search_options.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/search/rule.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The attention weights of a decoder block and one of its heads; −1: the mean of all.
struct HeadChoice {
  int64_t block = -1;
  int64_t head = -1;
  bool operator==(const HeadChoice&) const = default;
};

/// When a beam ends: as soon as it has finished as many hypotheses as it is wide, or once the best one
/// under way, as it stands, is no better than the worst of those.
enum class BeamEnds { full, settled };

struct SentenceSettings {
  int64_t beam = 1;  // hypotheses kept at every step; 1: greedy
  BeamEnds until = BeamEnds::full;
  int64_t n_best = 1;            // at most `beam`; when sampling, the number of samples
  std::string normalise = "wu";  // one of length_norms()
  double alpha = 0.6;
  double coverage = 0;       // β
  double length_factor = 3;  // at most factor · |source| + margin words …
  int64_t length_margin = 20;
  int64_t max_length = 1'000'000;  // … and at most this many

  RuleList rules;               // which words may not follow: min_length, no_repeat_ngram …
  bool allows_unknown = false;  // outputs may contain the unknown token

  double temperature = 1;  // sampling: q_i ∝ p_i^(1/temperature),
  int64_t top_k = 0;       // among the k likeliest words (0: all),
  double top_p = 1;        // among the fewest that together reach this probability

  int64_t groups = 1;      // diverse: the number of groups, each beam/groups wide
  double diversity = 0.5;  // λ: the cost of a word for each earlier group that chose it

  // What the caller wants returned; these are no settings of a recipe.
  bool weights = false;  // the attention weights of each word
  int64_t block = -1;    // of this decoder block; −1: the mean of all
  int64_t head = -1;     // of this head; −1: the mean of all

  /// Whether the search must ask for attention weights.
  bool needs_weights() const { return weights || coverage != 0; }
  HeadChoice looks() const { return {block, head}; }
};

/// The special tokens that no output of this sentence contains, ascending.
std::vector<TokenId> suppressed_words(const SpecialTokens& specials,
                                      const SentenceSettings& settings);

}  // namespace heed
