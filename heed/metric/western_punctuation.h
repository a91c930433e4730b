// Splits punctuation from words as NIST's mteval-v13a does; 13a, zh and TER share it.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Replaces every `from` by `to`, from left to right.
std::u32string replaced(std::u32string_view text, std::u32string_view from, std::u32string_view to);

/// Decodes &quot; &amp; &lt; &gt; in this order, so that &amp;lt; becomes <, as in mteval.
std::u32string without_entities(std::u32string_view text);

/// Adds a blank before and after, so that the ends of a line need no special treatment.
std::u32string between_blanks(std::u32string_view text);

/// Puts blanks around each character for which `is_apart` holds.
template <class Predicate>
std::u32string set_apart(std::u32string_view text, const Predicate& is_apart) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 2);
  for (const char32_t code : text) {
    if (is_apart(code)) {
      out += U' ';
      out += code;
      out += U' ';
    } else {
      out += code;
    }
  }
  return out;
}

enum class Apart { first, second };

/// A character that passes `first`, followed by one that passes `second`.
struct PairRule {
  bool (*first)(char32_t);
  bool (*second)(char32_t);
  Apart apart;
};

/// Puts blanks around the character of each pair that the rule sets apart. Pairs are taken from
/// left to right and do not overlap, so that a run such as ".,," is split as by a regular
/// expression.
std::u32string part_pairs(std::u32string_view text, const PairRule& rule);

/// ASCII's punctuation except ' - . , (and the blank, for which it makes no difference).
bool is_plain_punctuation(char32_t code);

/// Splits off `. ,` where no digit comes before or none comes after, and `-` after a digit.
std::u32string set_number_marks_apart(std::u32string_view text);

/// Splits off is_plain_punctuation and then the marks of numbers.
std::u32string set_western_punctuation_apart(std::u32string_view text);

}  // namespace heed
