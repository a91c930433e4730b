// Scores of pairs as JSON.
#pragma once

#include "heed/base/json.h"
#include "heed/engine/answer/scoring.h"

namespace heed {

/// {"log_probability": …, "tokens": …, "perplexity": …}, and if `with_words` "words": [[token, log p], …]
Json written_score(const PairScore& score, bool with_words);

}  // namespace heed
