// Implemented by tokenisers whose tokens may be parts of words; with any other tokeniser a token is
// a word. It is needed because alignments are between words.
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
