// The settings of a search with names, ranges, defaults and help, which the command line reads as
// well. To add one: its member here or, if it may differ between sentences, in sentence_settings.h,
// and its line in search_options.cpp. What closes words to a hypothesis is a rule (rules.h), which
// brings its own settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/config/described.h"
#include "heed/search/sentence_settings.h"

namespace heed {

class Model;

/// Whose weights a word has: those of the main decoder's attention, or a ctc decoder's spikes.
enum class WeightsOf { automatic, main, ctc };

/// When a word of a recording begins: where the weights of its first token rise, or where the sound does
/// before that.
enum class WordTime { weights, level };

/// The settings of a search, and those of every sentence that brings none of its own.
struct SearchOptions : Described, SentenceSettings {
  static constexpr int64_t most_beam = 1024;

  void describe(Describer& d) override;

  std::string strategy = "beam";  // a name in the catalogue of strategies
  uint64_t seed = 1;              // of random draws

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

  // What the caller gives; it is not a setting.
  const Model* language_model = nullptr;  // with the same vocabulary; null: none

 private:
  void describe_beam(Describer& d);
  void describe_strategy(Describer& d);
  void describe_decoders(Describer& d);
};

/// The choices of `length_norm` and `mean`.
std::vector<std::string> length_norms();
std::vector<std::string> ensemble_means();

/// The settings that differ from their defaults.
Json changed_settings(SearchOptions options);
/// "greedy", "beam 5, alpha 1": how it searches, for people.
std::string summary(const SearchOptions& options);

}  // namespace heed
