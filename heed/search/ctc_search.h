// The search of framewise decoders alone (CTC):
//
//   beam 1    the likeliest word or blank of every frame, merged and without blanks (the best path)
//   beam > 1  prefix search (Graves 2006 §3.2; Hannun 2014): the beam's prefixes after every frame, each with
//             the probabilities of its paths that end with its last word and with a blank, so that all
//             paths of a prefix count together. A prefix is extended by the likeliest words of the frame.
//
//   log p(Y|x) = ln Σ over all paths of Y, whatever was pruned;  score = log p(Y|x) + β ln p_lm(Y)
//
// A text has words between its separators: those at its ends and behind another one are left out, and what then
// reads alike is one text.
//
// A step is a frame of one sentence. With a language model the prefixes of every frame are ranked by both (prefix_language.h), at any beam.
#pragma once

#include <vector>

#include "heed/model/ctc/paths.h"
#include "heed/search/prefix_language.h"

namespace heed {

/// The words of the likeliest path. `closed` are words that nothing contains.
std::vector<TokenId> best_path(const CtcFrames& frames, std::span<const TokenId> closed);

/// At most `beam` targets, likeliest first by the paths that were kept and, if there is one, the language
/// model, which must be fresh.
std::vector<std::vector<TokenId>> likeliest_prefixes(const CtcFrames& frames, int64_t beam,
                                                     std::span<const TokenId> closed,
                                                     PrefixLanguage* language = nullptr);

/// The words without separators at their ends, and with one where several follow each other.
std::vector<TokenId> separated_once(std::span<const TokenId> words, TokenId separator);

}  // namespace heed
