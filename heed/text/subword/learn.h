// Learns subwords from text with SentencePiece's library. Only this file calls the library, and it
// never gets the contents of a model file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/text/tokeniser.h"

namespace heed {

/// Learns "bpe" or "unigram" and returns a model as SentencePiece writes it; `limits.normalise` is
/// applied.
std::string learn_pieces(std::string_view kind, std::span<const std::string> texts,
                         const VocabularyLimits& limits);

}  // namespace heed
