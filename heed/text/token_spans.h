// Which bytes of a text are behind each of its tokens, through whatever the tokeniser normalises.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokeniser.h"

namespace heed {

/// Implemented by tokenisers whose tokens, one behind the other, are not the text as it was
/// written. They differ from it by blanks, which may be left out or added, and by what becomes of
/// its characters.
class Normalises {
 public:
  virtual ~Normalises() = default;
  /// What becomes of one character, as a reader counts them (graphemes of text/utf8.h); of what is
  /// left out or merged as white space, a blank.
  virtual std::string normalised(std::string_view character) const = 0;
};

/// Bytes [begin, end) of a text.
struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteSpan&) const = default;
};

/// One for each of the `tokens`, which are those that `split` gives for the text, or the first of
/// them. They are in order, and white space between words belongs to none. A token that is part of
/// a character (a byte of it, or half of a ligature) has the whole character; one that is white
/// space alone has that.
std::vector<ByteSpan> token_spans(const Tokeniser& tokeniser, std::string_view text,
                                  std::span<const std::string> tokens);

}  // namespace heed
