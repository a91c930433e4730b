#include "heed/metric/western_punctuation.h"

namespace heed {
namespace {

bool is_digit(char32_t code) { return code >= U'0' && code <= U'9'; }
bool is_stop(char32_t code) { return code == U'.' || code == U','; }
bool is_no_digit(char32_t code) { return !is_digit(code); }
bool is_dash(char32_t code) { return code == U'-'; }

}  // namespace

std::u32string replaced(std::u32string_view text, std::u32string_view from,
                        std::u32string_view to) {
  std::u32string out;
  std::size_t start = 0;
  for (std::size_t at = text.find(from); at != std::u32string_view::npos;
       at = text.find(from, start)) {
    out += text.substr(start, at - start);
    out += to;
    start = at + from.size();
  }
  return out += text.substr(start);
}

std::u32string without_entities(std::u32string_view text) {
  const std::u32string quotes = replaced(text, U"&quot;", U"\"");
  const std::u32string ands = replaced(quotes, U"&amp;", U"&");
  return replaced(replaced(ands, U"&lt;", U"<"), U"&gt;", U">");
}

std::u32string between_blanks(std::u32string_view text) {
  std::u32string out(1, U' ');
  out += text;
  out += U' ';
  return out;
}

std::u32string part_pairs(std::u32string_view text, const PairRule& rule) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at + 1 == text.size() || !rule.first(text[at]) || !rule.second(text[at + 1])) {
      out += text[at];
      continue;
    }
    out += rule.apart == Apart::first ? U" " : U"";
    out += text[at];
    out += U' ';
    out += text[++at];
    out += rule.apart == Apart::second ? U" " : U"";
  }
  return out;
}

bool is_plain_punctuation(char32_t code) {
  return (code >= U'{' && code <= U'~') || (code >= U'[' && code <= U'`') ||
         (code >= U' ' && code <= U'&') || (code >= U'(' && code <= U'+') ||
         (code >= U':' && code <= U'@') || code == U'/';
}

std::u32string set_number_marks_apart(std::u32string_view text) {
  const std::u32string before = part_pairs(text, {is_no_digit, is_stop, Apart::second});
  const std::u32string after = part_pairs(before, {is_stop, is_no_digit, Apart::first});
  return part_pairs(after, {is_digit, is_dash, Apart::second});
}

std::u32string set_western_punctuation_apart(std::u32string_view text) {
  return set_number_marks_apart(set_apart(text, is_plain_punctuation));
}

}  // namespace heed
