// Punctuation taken apart from words the way of NIST's mteval-v13a, which 13a, zh and TER share.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Every `from` becomes `to`, from left to right.
std::u32string replaced(std::u32string_view text, std::u32string_view from, std::u32string_view to);

/// &quot; &amp; &lt; &gt; in this order, so that &amp;lt; becomes <, as mteval has it.
std::u32string without_entities(std::u32string_view text);

/// A blank before and one after, so that the ends of a line are like any other place.
std::u32string between_blanks(std::u32string_view text);

/// Blanks around each character of which `is_apart` holds.
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

/// Blanks around the one of such a pair that the rule sets apart. Pairs are taken from left to
/// right and no character belongs to two, so that a run such as ".,," is cut as a regular
/// expression would.
std::u32string part_pairs(std::u32string_view text, const PairRule& rule);

/// ASCII's punctuation but ' - . , (and the blank, for which it makes no difference).
bool is_plain_punctuation(char32_t code);

/// `. ,` where no digit comes before or none comes after, and `-` after a digit.
std::u32string set_number_marks_apart(std::u32string_view text);

/// is_plain_punctuation and then the marks of numbers.
std::u32string set_western_punctuation_apart(std::u32string_view text);

}  // namespace heed
