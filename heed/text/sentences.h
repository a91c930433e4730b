// Splits a paragraph into sentences, and joins their translations to a paragraph.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Both views point into the paragraph; text and gap of all sentences in order are the paragraph.
struct Sentence {
  std::string_view text;
  std::string_view gap;  // the blanks after it
};

/// A sentence ends at . ! ? … and the like, including quotes and brackets that close after them, if
/// a blank follows and then something that can begin a sentence. It also ends at 。！？ and the
/// like without a condition, and at every line end. Abbreviations (Mr., e.g.), initials (J. S.
/// Bach) and numbers (3.5, No. 7) do not end one. Blanks before the first sentence are the gap of
/// an empty one.
std::vector<Sentence> split_sentences(std::string_view paragraph);

/// The translations with the gaps of their sentences between them. A gap of one blank or none
/// follows the translation instead: none after a script without blanks, one after any other.
std::string join_sentences(std::span<const Sentence> sentences,
                           std::span<const std::string> translations);

}  // namespace heed
