// From tokens to words: a word is a token that begins a word and the tokens that continue it. The
// weights of words are
//
//   α_word(t, s) = mean over t's tokens i of Σ over s's tokens j of α_ij
#pragma once

#include "heed/engine/answer/answer.h"

namespace heed {

/// The translation with words instead of tokens in `source`, `target` and `weights`; end tokens
/// stay.
Translation in_words(const Translation& translation, const TrainedModel& trained);

/// The translation with `word_links` instead of `weights`.
Translation with_links_only(Translation translation, const TrainedModel& trained);

/// The text with every unknown word replaced by the source word that it attended to most (Luong
/// 2015 §3.3); unchanged without weights.
std::string text_without_unknowns(const Translation& translation, const TrainedModel& trained);

}  // namespace heed
