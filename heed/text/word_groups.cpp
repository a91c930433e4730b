#include "heed/text/word_groups.h"

#include <algorithm>

#include "heed/text/byte_token.h"
#include "heed/text/letter.h"
#include "heed/text/script.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// Code points of bytes that need not be UTF-8: one that is not counts as U+FFFD.
struct Place {
  std::size_t at = 0;
  char32_t code = 0;

  bool is_blank() const { return is_white_space(code); }
};

std::vector<Place> places_in(const std::string& text) {
  std::vector<Place> places;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    places.push_back({at, one.length == 0 ? 0xFFFD : one.code});
    at += one.length == 0 ? 1 : one.length;
  }
  return places;
}

bool is_mark(char32_t code) { return category(code) == Category::mark; }

/// Whether a word begins at places[i], where a token's first visible character is.
bool begins_word(const std::vector<Place>& places, std::size_t i) {
  if (i == 0 || places[i - 1].is_blank()) {
    return true;
  }
  return (is_unspaced(places[i].code) || is_unspaced(places[i - 1].code)) &&
         !is_mark(places[i].code);
}

std::string without_blanks_before(const std::string& text) {
  const std::size_t at = text.find_first_not_of(' ');
  return at == std::string::npos ? "" : text.substr(at);
}

}  // namespace

WordGroups group_words(const Tokeniser& tokeniser, std::span<const std::string> tokens) {
  std::string text;
  std::vector<std::size_t> ends;
  for (const std::string& token : tokens) {
    text += tokeniser.surface(token);
    ends.push_back(text.size());
  }
  const std::vector<Place> places = places_in(text);
  WordGroups out;
  std::size_t blanks = 0;  // tokens of blanks that wait for their word
  std::size_t i = 0;
  for (std::size_t t = 0, start = 0; t < tokens.size(); start = ends[t++]) {
    const bool has_character = i < places.size() && places[i].at < ends[t];
    while (i < places.size() && places[i].at < ends[t] && places[i].is_blank()) {
      ++i;
    }
    const bool is_visible = i < places.size() && places[i].at < ends[t];
    if (has_character && !is_visible) {
      ++blanks;
      continue;
    }
    if (out.words.empty() || (is_visible && begins_word(places, i))) {
      out.words.emplace_back();
    }
    out.words.back() += without_blanks_before(text.substr(start, ends[t] - start));
    out.word_of.insert(out.word_of.end(), blanks + 1, out.words.size() - 1);
    blanks = 0;
    while (i < places.size() && places[i].at < ends[t]) {
      ++i;
    }
  }
  out.words.resize(std::max<std::size_t>(out.words.size(), tokens.empty() ? 0 : 1));
  out.word_of.insert(out.word_of.end(), blanks, out.words.empty() ? 0 : out.words.size() - 1);
  for (std::string& word : out.words) {
    word = repaired_utf8(word);
  }
  return out;
}

}  // namespace heed
