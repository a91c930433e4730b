// How one sentence is searched. Sentences of one search may differ in all of it: each finds what it
// finds alone. What they share (decoders, their mean, the strategy) is in search_options.h. To add a
// setting: its member and its line in sentence_settings.cpp; that of a strategy or a rule is in its file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/search/rule.h"
#include "heed/search/strategy.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The attention weights of a decoder block and one of its heads; −1: the mean of all.
struct HeadChoice {
  int64_t block = -1;
  int64_t head = -1;
  bool operator==(const HeadChoice&) const = default;
};

inline constexpr int64_t most_beam = 1024;
inline constexpr int64_t most_words = 1'000'000;

/// When a beam ends: as soon as it has finished as many hypotheses as it is wide, or once the best one
/// under way, as it stands, is no better than the worst of those.
enum class BeamEnds { full, settled };

struct SentenceSettings {
  int64_t beam = 1;  // hypotheses kept at every step; 1: greedy
  BeamEnds until = BeamEnds::full;
  int64_t n_best = 1;              // at most `beam`; when sampling, the number of samples
  std::string length_norm = "wu";  // one of length_norms()
  double alpha = 0.6;              // of the length norm
  double coverage = 0;             // β
  double max_length_factor = 3;    // at most factor · |source| + margin words …
  int64_t max_length_margin = 20;
  int64_t max_length = most_words;  // … and at most this many
  bool allow_unk = false;           // outputs may contain the unknown token
  RuleList rules = {};              // which words may not follow: min_length, no_repeat_ngram …
  std::string start = "";           // named tokens before every output (SentenceOptions::start)
  std::string language = "";        // the one of those that `start` chooses from; empty: any
  StrategyList strategies = {};     // temperature, diversity …; the search says which chooses

  // What the caller wants returned; these are no settings of a recipe.
  bool weights = false;  // the attention weights of each word
  int64_t block = -1;    // of this decoder block; −1: the mean of all
  int64_t head = -1;     // of this head; −1: the mean of all

  /// Whether the search must ask for attention weights.
  bool needs_weights() const { return weights || coverage != 0; }
  HeadChoice looks() const { return {block, head}; }
  void describe(Describer& d);
};

/// The special tokens that no output of this sentence contains, ascending.
std::vector<TokenId> suppressed_words(const SpecialTokens& specials,
                                      const SentenceSettings& settings);

}  // namespace heed
