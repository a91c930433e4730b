// Words that a caller gives: a prefix, and phrases that must occur.
#pragma once

#include "heed/engine/answer/answer.h"
#include "heed/search/search.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// The options of every sentence, without its number. Fault::usage where a word is not known.
SentenceOptions sentence_options(const Vocabulary& vocabulary, const TranslateOptions& options);

}  // namespace heed
