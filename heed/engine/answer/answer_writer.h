// Writes translations as lines: plain, as Marian's n-best lists, with alignments, or as JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/engine/answer/answer.h"

namespace heed {

/// hard: of each target word the source word with the most weight; soft: all weights; above: the
/// pairs whose weight reaches a threshold.
enum class AlignmentForm { none, hard, soft, above };

struct WriterOptions {
  bool is_n_best = false;
  bool is_json = false;
  AlignmentForm alignment = AlignmentForm::none;
  double threshold = 0;    // of AlignmentForm::above
  bool in_tokens = false;  // alignments count tokens instead of words
  bool is_raw = false;     // texts keep their control characters, which may break a line
  bool with_ends = false;  // hard alignments include the links of the end of sentence
  int64_t top = 3;         // JSON lists this many of the most attended words for each word
  std::function<Json(const Reply& one)> maps = {};  // JSON has this as "attention"
};

/// What is printed for the best translations of line `number` (from 0), newlines included:
///
///   text                                      text ||| 0-0 1-1
///   0 ||| text ||| F0= -1.2 ||| -0.6          0 ||| text ||| 0-0 1-1 ||| F0= -1.2 ||| -0.6
///   {"text": …, "tokens": […], "score": …, "log_probability": …, "alignment": …, "entropy": […], "top": …}
///
/// With a language model, or a ctc decoder beside the main one, the search goes by a weighted sum
/// of log-probabilities: " Sum= -1.9" behind F0, "weighted_sum" in JSON. F0 and log_probability are
/// those of the model alone.
///
/// Of a picture, a soft alignment in JSON has the rows of the grid for each word, and "grid" its
/// height and width.
std::string written(const std::vector<Reply>& best, int64_t number, const TrainedModel& trained,
                    const WriterOptions& options);

/// The source's and the target's words, the alignment of `options`, entropies and most attended words.
void set_alignment(Json& object, const Reply& one, const TrainedModel& trained,
                   const WriterOptions& options);

/// Sets "log_probability", and "weighted_sum" where there is one.
void set_log_probability(Json& object, const Reply& one);

}  // namespace heed
