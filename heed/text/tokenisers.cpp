#include "heed/text/tokenisers.h"

namespace heed {

const Catalogue<Tokeniser>& tokenisers() {
  static const Catalogue<Tokeniser> all(
      "tokeniser",
      {
          {"words", {}, "split at white space, joined by a blank", HEED_MADE_BY(Tokeniser, words)},
          {"lowercase_words",
           {},
           "words in lower case, for texts whose case does not matter, such as captions",
           HEED_MADE_BY(Tokeniser, lowercase_words)},
          {"characters",
           {},
           "one token for each code point, joined without blanks",
           HEED_MADE_BY(Tokeniser, characters)},
          {"bytes",
           {},
           "one token for each byte of UTF-8: 256 of them, nothing unknown",
           HEED_MADE_BY(Tokeniser, bytes)},
          {"bpe",
           {},
           "subwords by merging the most frequent pair (SentencePiece)",
           HEED_MADE_BY(Tokeniser, bpe)},
          {"unigram",
           {},
           "subwords that make the text most likely (SentencePiece)",
           HEED_MADE_BY(Tokeniser, unigram)},
          {"byte_bpe",
           {},
           "bytes, merged into subwords as an imported model says (GPT-2, Whisper)",
           HEED_MADE_BY(Tokeniser, byte_bpe)},
      });
  return all;
}

}  // namespace heed
