// The catalogue of tokenisations. To add one: a file in tokeniser/, a line here and one in
// tokenisers.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/text/tokeniser.h"

namespace heed {

std::unique_ptr<Tokeniser> words();
std::unique_ptr<Tokeniser> characters();

const Catalogue<Tokeniser>& tokenisers();

/// bpe or unigram with a model that SentencePiece wrote, which says how texts are normalised. `who`
/// names it.
std::unique_ptr<Tokeniser> tokeniser_of_pieces(std::string model, const std::string& who);

/// byte_bpe with these merges, a pair on each line. With a blank before, texts are split as if they
/// began with one. `who` names them.
std::unique_ptr<Tokeniser> tokeniser_of_merges(std::string list, bool has_blank_before,
                                               const std::string& who);

}  // namespace heed
