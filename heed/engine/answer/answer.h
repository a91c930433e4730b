// Answers sources of every kind: translates and continues text, captions pictures, transcribes
// recordings, labels anything.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/engine/answer/answer_options.h"
#include "heed/engine/answer/reply.h"
#include "heed/model/file/model_file.h"

namespace heed {

using TrainedModels = std::span<const TrainedModel* const>;

/// The n best replies to every source; an empty source gives an empty text. A language model
/// continues the source, with which its text begins, and starts a text of its own for an empty one.
/// Several models with the same vocabularies answer as one. The n-th reply to a paragraph joins the
/// n-th of each sentence.
std::vector<Replies> answer(TrainedModels models, std::span<const Source> sources,
                            const AnswerOptions& options);
/// The same for cells of a table.
std::vector<Replies> answer(TrainedModels models, std::span<const std::string> cells,
                            const AnswerOptions& options);
std::vector<Replies> answer(const TrainedModel& trained, std::span<const std::string> cells,
                            const AnswerOptions& options);
/// The best text for every cell.
std::vector<std::string> answer_texts(const TrainedModel& trained,
                                      std::span<const std::string> cells,
                                      const AnswerOptions& options);
/// Fault::usage unless all models have the same vocabularies; `names` are the models' names.
void check_same_vocabularies(TrainedModels models, std::span<const std::string> names);

/// Fault::usage unless `language` is a language model with the target vocabulary of `model`; `who`
/// begins the message.
void check_language_model(const TrainedModel& language, const TrainedModel& model,
                          const std::string& who);

struct AlignOptions {
  int64_t block = -1;  // the decoder block whose weights are taken; −1: the mean of all
  int64_t head = -1;
};
/// Where the model looks when it is forced to output `target`. If a side is empty, nothing was
/// seen. Beyond most_weights it has links in place of weights, if the decoder writes one word after
/// the other. Fault::file where the two sides have more than 16 most_weights.
Reply align(const TrainedModel& trained, const Source& source, const std::string& target,
            const AlignOptions& options);

}  // namespace heed
