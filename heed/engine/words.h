// From tokens to words: a word is a token that begins one and those that go on with it. What looks
// or is looked at is then a word:
//
//   α_word(t, s) = mean over t's tokens i of Σ over s's tokens j of α_ij
#pragma once

#include "heed/engine/translation.h"

namespace heed {

/// The translation with words for tokens, in `source`, `target` and `weights`; ends stay tokens of
/// their own.
Translation in_words(const Translation& translation, const TrainedModel& trained);

/// The text with every unknown word replaced by the source word that it looked at most (Luong 2015
/// §3.3); without weights it stays as it is.
std::string text_without_unknowns(const Translation& translation, const TrainedModel& trained);

}  // namespace heed
