#include "heed/text/tokenisers.h"

namespace heed {

const Catalogue<Tokeniser>& tokenisers() {
  static const Catalogue<Tokeniser> all(
      "tokeniser",
      {
          {"words", {}, "split at white space, joined by a blank", words},
          {"characters", {}, "one token for each code point, joined without blanks", characters},
          {"bytes", {}, "one token for each byte of UTF-8: 256 of them, nothing unknown", bytes},
          {"bpe", {}, "subwords by merging the most frequent pair (SentencePiece)", bpe},
          {"unigram", {}, "subwords that make the text most likely (SentencePiece)", unigram},
      });
  return all;
}

}  // namespace heed
