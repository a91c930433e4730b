// Translates text and shows where each word looked, for the command line and the trainer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/engine/answer/answer_options.h"
#include "heed/model/file/model_file.h"
#include "heed/search/search.h"
#include "heed/see/heat_map.h"

namespace heed {

/// What is kept of the weights of a line that is too long for a matrix of them (most_weights): the
/// source word that each target word attended to most.
struct WordLinks {
  std::vector<std::string> source;  // words, the end included
  std::vector<std::string> target;
  std::vector<std::pair<size_t, size_t>> pairs;  // (source, target), those of the ends included
};

/// When a token of a recording was said, in seconds: from start to end; not known if they are equal.
struct HeardTime {
  double start = 0;
  double end = 0;
};

/// The number of weights of a line, target × source, beyond which only links are kept.
inline constexpr size_t most_weights = size_t{1} << 22;

struct Translation {
  std::string text;
  double score = 0;            // normalised by length; of several sentences, their sum
  double log_probability = 0;  // of the words and the end, in the model alone
  std::optional<double>
      weighted_sum;  // of it and those of a language or a ctc model that were asked
  std::vector<double> each_log_probability;  // of every label, if the model labels
  std::vector<std::string> source;  // tokens as written, the end included; a picture's cells
  GridExtent grid;                  // of those cells; 0 where the source is no picture
  std::vector<double> seconds;  // of a recording: when each of `source` begins, and the last ends
  std::vector<size_t> parts;    // of a source cut in parts: the first of `target` of each
  std::vector<std::string> target;          // tokens, the end included where it ended
  std::vector<TokenId> ids;                 // of `target`, if a search found it
  bool source_ends = false;                 // the last of `source` is the end token
  bool ended = false;                       // the last of `target` is the end token
  std::vector<std::vector<float>> weights;  // [target, source], where asked for
  std::vector<HeardTime> times;             // of a recording: of each of `target`, where asked for
  std::optional<WordLinks> word_links;      // instead of the weights of a long line
  std::vector<std::string> warnings;        // about the line; only its best translation has them
};

/// The n best translations of every line, best first; an empty line gives an empty text. A language
/// model continues the line, with which its text begins, and starts a text of its own for an empty
/// line. Several models with the same vocabularies translate as one. The n-th translation of a
/// paragraph joins the n-th of each sentence.
std::vector<std::vector<Translation>> translate(std::span<const TrainedModel* const> models,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& options);
std::vector<std::vector<Translation>> translate(const TrainedModel& trained,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& options);
/// The best translation of every line.
std::vector<std::string> translate_lines(const TrainedModel& trained,
                                         std::span<const std::string> lines,
                                         const TranslateOptions& options);
/// Fault::usage unless all models have the same vocabularies; `names` are the models' names.
void check_same_vocabularies(std::span<const TrainedModel* const> models,
                             std::span<const std::string> names);

/// Fault::usage unless `language` is a language model with the target vocabulary of `model`; `who`
/// begins the message.
void check_language_model(const TrainedModel& language, const TrainedModel& model,
                          const std::string& who);

struct AlignOptions {
  int64_t block = -1;  // the decoder block whose weights are taken; −1: the mean of all
  int64_t head = -1;
};
/// Where the model looks when it is forced to output `target`. If a side is empty, the result has
/// no tokens and no weights. Beyond most_weights it has links in place of weights, if the decoder writes one word after
/// the other. Fault::file where the two sides have more than 16 most_weights.
Translation align(const TrainedModel& trained, const std::string& source, const std::string& target,
                  const AlignOptions& options);

/// Target words as rows, source words as columns; without the end tokens unless `with_ends`.
HeatMap heat_map(const Translation& translation, bool with_ends);
/// The same as it is drawn: the source's end always has a column, so that the weights of a row add up, and an end is one narrow
/// cell, ⏎. The target's end has a row if `with_ends`.
HeatMap drawn_map(const Translation& translation, bool with_ends);
/// The slot that every target token attended to most, as (source, target) from 0, sorted. A token
/// whose weights are all 0 has no link. Links to and from the end of sentence are left out unless
/// `with_ends`; Marian writes them.
std::vector<std::pair<size_t, size_t>> links(const Translation& translation, bool with_ends);
/// All pairs whose weight is at least `threshold`, in the same order; there must be weights.
std::vector<std::pair<size_t, size_t>> links_above(const Translation& translation, double threshold,
                                                   bool with_ends);
/// Pharaoh's form of pairs: `0-0 1-1 2-3`.
std::string pharaoh(const std::vector<std::pair<size_t, size_t>>& pairs);
/// The links in Pharaoh's form.
std::string hard_alignment(const Translation& translation, bool with_ends);
/// One group of weights for each target word, with commas between source words and blanks between
/// groups.
std::string soft_alignment(const Translation& translation);

}  // namespace heed
