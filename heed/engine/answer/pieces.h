// Cuts a text into pieces that a model can take: sentences, and parts of over-long ones. Nothing is
// tokenised twice: a piece keeps the tokens by which it was seen to fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/field.h"

namespace heed {

struct PieceOptions {
  bool splits = false;  // paragraphs into sentences
  int64_t most = 0;     // tokens of a piece at most; 0: any number
  int64_t line = 0;     // its number, for the warning
};

/// A part of a line, and the blanks after it.
struct PieceText {
  std::string text;
  std::string gap;
  std::string warning = {};             // in the first part of a sentence that had to be cut
  std::optional<ReadSource> read = {};  // as the field reads it, if it was read to be cut
};

/// One piece if there is nothing to split: the line itself, including its blanks.
std::vector<PieceText> pieces_of(const std::string& line, const Field& source,
                                 const PieceOptions& options);

/// Cuts a text near its middle: after punctuation, else at a blank, else between two characters.
/// One part if there is nothing to cut.
std::vector<PieceText> cut_in_two(const PieceText& text);

}  // namespace heed
