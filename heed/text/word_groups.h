// Which tokens make a word: subwords, characters or bytes of one word get its number. Attention is
// over tokens; people read alignments of words.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heed/text/tokeniser.h"

namespace heed {

struct WordGroups {
  std::vector<std::string> words;
  std::vector<std::size_t> word_of;  // for each token, the word's place in `words`
};

/// Words are what blanks part. Where a script writes none, every token is a word, but the bytes and
/// marks of one character stay together. A token of blanks alone belongs to the word after it, or
/// at the end to the last.
WordGroups group_words(const Tokeniser& tokeniser, std::span<const std::string> tokens);

}  // namespace heed
