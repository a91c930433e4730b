// Learns subwords from text by the library of SentencePiece, the only place that calls it: nothing
// that comes out of a file is given to it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/text/tokeniser.h"

namespace heed {

/// "bpe" or "unigram"; a model as SentencePiece writes it. Normalises by `limits.normalise`.
std::string learn_pieces(std::string_view kind, std::span<const std::string> texts,
                         const VocabularyLimits& limits);

}  // namespace heed
