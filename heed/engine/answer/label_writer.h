// Writes labels as lines: plain, the likeliest ones of the whole, the tokens that are kept, or
// JSON.
#pragma once

#include <string>
#include <vector>

#include "heed/engine/answer/answer.h"

namespace heed {

struct LabelWriterOptions {
  bool is_json = false;
  bool is_n_best = false;
  std::string kept = {};  // print the source's tokens with this label; empty: print labels
};

/// Fault::usage unless the model labels every token of a text and knows this label. `who` begins
/// the message.
void check_kept(const TrainedModel& trained, const std::string& label, const std::string& who);

/// What is printed for the likeliest labels of line `number` (from 0), newlines included:
///
///   label label …                     0 ||| label ||| 0.9731                 token token …
///   {"labels": […], "probabilities": […], "source": […], "weights": [[…]], "n_best": […]}
///
/// "weights" are there if the decoder attends and they were asked for.
std::string written_labels(const std::vector<Reply>& best, int64_t number,
                           const TrainedModel& trained, const LabelWriterOptions& options);

}  // namespace heed
