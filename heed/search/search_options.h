// The settings of a search with names, ranges, defaults and help, which the command line reads as
// well. To add one: its member here or, if it may differ between sentences, in sentence_settings.h,
// and its line in `describe`. Strategies and rules bring their own.
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

/// When the words of a recording begin and end.
struct WordTimes {
  WordTime word_starts = WordTime::weights;
  WordTime word_ends = WordTime::weights;
  double late_ms = 0;  // how much later than they begin words are heard
  void describe(Describer& d);
};

/// Of decoders that fill all positions at once (mask_predict.h).
struct ParallelSettings {
  int64_t rounds = 10;      // how often words are filled,
  int64_t length_beam = 5;  // the number of lengths that are tried,
  int64_t length = 0;       // and the words of every target; 0: as the model says
  void describe(Describer& d);
};

/// The settings of a search, and those of every sentence that brings none of its own.
struct SearchOptions : Described, SentenceSettings {
  void describe(Describer& d) override;

  std::string strategy = "beam";          // a name in the catalogue of strategies
  uint64_t seed = 1;                      // of random draws
  std::string ensemble = "probability";   // how several predict as one: one of ensemble_means()
  std::vector<std::string> combine = {};  // decoders besides the main one: NAME or NAME=WEIGHT
  double ctc_weight = 0.3;                // λ of framewise decoders beside the main one
  double lm_weight = 0.3;                 // β of the language model
  const Model* language_model = nullptr;  // what the caller gives, with the same vocabulary
  WeightsOf weights_of = WeightsOf::automatic;  // the caller's choice, else the main one's
  WordTimes times = {};
  ParallelSettings parallel = {};
};

/// The choices of `ensemble`.
std::vector<std::string> ensemble_means();

/// The settings that differ from their defaults.
Json changed_settings(SearchOptions options);
/// "greedy", "beam 5, alpha 1": how it searches, for people.
std::string summary(const SearchOptions& options);

}  // namespace heed
