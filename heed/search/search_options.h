// The settings of a search with names, ranges, defaults and help, which the command line reads as
// well. To add one: its member here, its line in search_options.cpp. What closes words to a hypothesis
// is a rule (rules.h), which brings its own settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/config/described.h"
#include "heed/search/rule.h"

namespace heed {

class Model;

/// Whose weights a word has: those of the main decoder's attention, or a ctc decoder's spikes.
enum class WeightsOf { automatic, main, ctc };

/// When a word of a recording begins: where the weights of its first token rise, or where the sound does
/// before that.
enum class WordTime { weights, level };

struct SearchOptions : Described {
  static constexpr int64_t most_beam = 1024;

  void describe(Describer& d) override;

  std::string strategy = "beam";  // a name in the catalogue of strategies
  int64_t beam = 1;               // hypotheses kept at every step; 1: greedy
  int64_t n_best = 1;             // at most `beam`; when sampling, the number of samples
  std::string normalise = "wu";   // one of length_norms()
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
  uint64_t seed = 1;

  int64_t groups = 1;      // diverse: the number of groups, each beam/groups wide
  double diversity = 0.5;  // λ: the cost of a word for each earlier group that chose it

  std::string mean = "probability";       // how an ensemble averages: one of ensemble_means()
  std::vector<std::string> combine = {};  // decoders besides the main one: NAME or NAME=WEIGHT

  double ctc_weight = 0.3;  // λ of framewise decoders beside the main one
  double lm_weight = 0.3;   // β of the language model
  WeightsOf weights_of =
      WeightsOf::automatic;                  // automatic: the caller's choice, else the main one's
  WordTime word_starts = WordTime::weights;  // recordings: what a word's start is taken from,
  WordTime word_ends = WordTime::weights;    // and its end
  double late_ms = 0;  // recordings: how much later than they begin words are heard

  int64_t rounds = 10;      // mask-predict: how often words are filled,
  int64_t length_beam = 5;  // and the number of lengths that are tried;
  int64_t length = 0;       // every target has this many words; 0: as the model says

  // What the caller gives and wants returned; these are not settings.
  const Model* language_model = nullptr;  // with the same vocabulary; null: none
  bool weights = false;                   // the attention weights of each word
  int64_t block = -1;                     // of this decoder block; −1: the mean of all
  int64_t head = -1;                      // of this head; −1: the mean of all

 private:
  void describe_beam(Describer& d);
  void describe_strategy(Describer& d);
  void describe_decoders(Describer& d);
};

/// The choices of `normalise` and `mean`.
std::vector<std::string> length_norms();
std::vector<std::string> ensemble_means();

/// The settings that differ from their defaults.
Json changed_settings(SearchOptions options);
/// "greedy", "beam 5, alpha 1": how it searches, for people.
std::string summary(const SearchOptions& options);

/// The special tokens that no output of this search contains, ascending.
std::vector<TokenId> suppressed_words(const SpecialTokens& specials, const SearchOptions& options);

}  // namespace heed
