// Tokenisers whose tokens may be parts of words say where a word begins; a token of any other is a
// word. Alignments are of words.
#pragma once

#include <string_view>

namespace heed {

class WordPieces {
 public:
  virtual ~WordPieces() = default;
  /// Whether a word begins with this token.
  virtual bool begins_word(std::string_view token) const = 0;
};

}  // namespace heed
