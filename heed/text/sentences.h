// A paragraph as sentences, and their translations as a paragraph again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Both views point into the paragraph, one after the other: all of them in a row are the
/// paragraph.
struct Sentence {
  std::string_view text;
  std::string_view gap;  // the blanks after it
};

/// Sentences end at . ! ? … and their kin, with the quotes and brackets that close after them,
/// where a blank follows and what comes next can begin a sentence; at 。！？ and their kin without
/// that; and at every line end. Abbreviations (Mr., e.g.), initials (J. S. Bach) and numbers (3.5,
/// No. 7) do not end one. Blanks before the first sentence are an empty sentence's gap.
std::vector<Sentence> split_sentences(std::string_view paragraph);

/// The translations with the gaps of their sentences between them: a plain blank goes where the
/// text before it is written without blanks, and comes where it is not and the source had none.
std::string join_sentences(std::span<const Sentence> sentences,
                           std::span<const std::string> translations);

}  // namespace heed
