// What a caller asks for, made ready for a search: limits by which no source and no reply is too
// long for the models, and the ids of the words that he gives, a prefix and phrases that must
// occur.
#pragma once

#include <cstdint>
#include <limits>

#include "heed/engine/answer/answer.h"
#include "heed/search/search.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// The number of rows of the longest source, and of words of the longest target, that all models
/// can take.
struct Longest {
  int64_t source = std::numeric_limits<int64_t>::max();
  int64_t target = std::numeric_limits<int64_t>::max();
};

Longest longest_of(TrainedModels models, const SearchOptions& options);

/// What was asked for, with limits by which no sentence is too long for the models: sources are cut
/// (pieces.h), and replies end at the limit.
AnswerOptions bounded_options(TrainedModels models, const AnswerOptions& asked);

/// Whether replies say what was seen.
bool are_seen(const AnswerOptions& options);
/// Whether the n best texts of a source must differ.
bool wants_distinct_texts(const SearchOptions& options);

/// The options of every sentence, without its number. Fault::usage where a word is not known.
SentenceOptions sentence_options(const Vocabulary& vocabulary, const AnswerOptions& options);

}  // namespace heed
