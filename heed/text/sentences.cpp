#include "heed/text/sentences.h"

#include <algorithm>
#include <array>

#include "heed/base/error.h"
#include "heed/text/letter.h"
#include "heed/text/script.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

bool is_in(std::u32string_view set, char32_t code) {
  return set.find(code) != std::u32string_view::npos;
}

bool is_stop(char32_t code) { return is_in(U".!?…‼⁇⁈⁉؟۔।॥։።", code); }
bool is_wide_stop(char32_t code) { return is_in(U"。！？｡．", code); }
bool is_closing(char32_t code) { return is_in(U"\"')]}»”’›」』）】》〉〕］｝", code); }
bool is_opening(char32_t code) { return is_in(U"\"'([{«“‘‹„‚¿¡—–-「『（【《〈", code); }
bool is_line_end(char32_t code) { return code == U'\n' || code == U'\r' || code == 0x2029; }

/// Whether a full stop after `word`, which is in small letters, does not end a sentence.
bool is_abbreviation(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 44> known = {
      U"mr",   U"mrs",  U"ms",  U"dr",  U"prof", U"st",  U"sr",   U"jr",    U"vs",
      U"etc",  U"cf",   U"nr",  U"vol", U"fig",  U"eq",  U"sec",  U"ch",    U"pp",
      U"p",    U"ed",   U"eds", U"inc", U"ltd",  U"co",  U"corp", U"gen",   U"col",
      U"sgt",  U"capt", U"lt",  U"rev", U"hon",  U"gov", U"sen",  U"rep",   U"pres",
      U"dept", U"est",  U"al",  U"bzw", U"usw",  U"mme", U"mlle", U"approx"};
  const std::u32string small = lower(word);
  return std::find(known.begin(), known.end(), small) != known.end();
}

/// Whether `word` is a short name of a month or weekday, as in Nov. 3 or Tues. 17.
bool is_in_calendar(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 23> known = {
      U"jan",  U"feb",  U"mar",   U"apr", U"jun", U"jul", U"aug",  U"sep",
      U"sept", U"oct",  U"nov",   U"dec", U"mon", U"tue", U"tues", U"wed",
      U"thu",  U"thur", U"thurs", U"fri", U"sat", U"sun", U"may"};
  return std::find(known.begin(), known.end(), lower(word)) != known.end();
}

/// Whether `word` is single letters with full stops between them, as in U.S, e.g or z.B.
bool is_acronym(std::u32string_view word) {
  bool is_one = word.size() > 2 && word.size() % 2 == 1;
  for (std::size_t i = 0; i < word.size() && is_one; ++i) {
    is_one = i % 2 == 0 ? category(word[i]) == Category::letter : word[i] == U'.';
  }
  return is_one;
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {
    check_utf8("sentences", text);
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint one = decode_utf8(text, at);
      codes_ += one.code;
      places_.push_back(at);
      at += one.length;
    }
    places_.push_back(text.size());
  }

  std::vector<Sentence> all() {
    std::size_t i = 0;
    if (const std::size_t first = after_blanks(0); first > 0) {
      add(0, 0, first);
      i = first;
    }
    while (i < codes_.size()) {
      const std::size_t end = end_of_sentence(i);
      const std::size_t next = after_blanks(end);
      add(i, end, next);
      i = next;
    }
    return std::move(sentences_);
  }

 private:
  void add(std::size_t start, std::size_t end, std::size_t next) {
    sentences_.push_back({text_.substr(places_[start], places_[end] - places_[start]),
                          text_.substr(places_[end], places_[next] - places_[end])});
  }

  std::size_t after_blanks(std::size_t i) const {
    while (i < codes_.size() && is_white_space(codes_[i])) {
      ++i;
    }
    return i;
  }

  /// The end of the sentence that begins at `start`, without the blanks after it.
  std::size_t end_of_sentence(std::size_t start) const {
    for (std::size_t i = start; i < codes_.size(); ++i) {
      if (is_line_end(codes_[i])) {
        return without_blanks(start, i);
      }
      if (!is_stop(codes_[i]) && !is_wide_stop(codes_[i])) {
        continue;
      }
      const std::size_t end = after_marks(i);
      if (end == codes_.size() || ends_at(start, i, end)) {
        return end;
      }
      i = end - 1;
    }
    return without_blanks(start, codes_.size());
  }

  std::size_t without_blanks(std::size_t start, std::size_t end) const {
    while (end > start && is_white_space(codes_[end - 1])) {
      --end;
    }
    return end;
  }

  /// The position after a run of stops and the closing quotes and brackets that follow.
  std::size_t after_marks(std::size_t i) const {
    while (i < codes_.size() && (is_stop(codes_[i]) || is_wide_stop(codes_[i]))) {
      ++i;
    }
    while (i < codes_.size() && is_closing(codes_[i])) {
      ++i;
    }
    return i;
  }

  /// Whether stops at [stop, end) end the sentence that began at `start`; there is text after them.
  bool ends_at(std::size_t start, std::size_t stop, std::size_t end) const {
    const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(stop);
    const auto last = codes_.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::any_of(first, last, is_wide_stop)) {
      return true;
    }
    const std::size_t next = after_blanks(end);
    if (next == end) {
      return false;  // 3.5, heed.txt, "?!"-like runs before a letter
    }
    if (next < codes_.size() && !can_begin(next)) {
      return false;
    }
    return codes_[stop] != U'.' || end - stop > 1 || !is_shortened(start, stop, next);
  }

  bool can_begin(std::size_t i) const {
    while (i < codes_.size() && is_opening(codes_[i])) {
      ++i;
    }
    if (i == codes_.size()) {
      return true;
    }
    // A small letter continues the sentence; a script without small letters may begin one.
    const std::u32string_view one(&codes_[i], 1);
    const bool is_small =
        category(codes_[i]) == Category::letter && lower(one) == one && has_capital(codes_[i]);
    return !is_small;
  }

  /// Latin, Greek, Cyrillic, Armenian: scripts that begin sentences with a capital.
  static bool has_capital(char32_t code) {
    return code < 0x0590 || (code >= 0x1E00 && code < 0x2000);
  }

  /// Whether the word before a single full stop at `stop` is an abbreviation, an initial or an
  /// ordinal number.
  bool is_shortened(std::size_t start, std::size_t stop, std::size_t next) const {
    std::size_t begin = stop;
    while (begin > start && !is_white_space(codes_[begin - 1]) && !is_opening(codes_[begin - 1])) {
      --begin;
    }
    const std::u32string_view word = std::u32string_view(codes_).substr(begin, stop - begin);
    if (lower(word) == U"no" || is_in_calendar(word)) {  // No. 7, but "He said no. Then …"
      return next < codes_.size() && category(codes_[next]) == Category::number;
    }
    const auto is_digit = [](char32_t code) { return category(code) == Category::number; };
    if (!word.empty() && word.size() <= 2 && std::all_of(word.begin(), word.end(), is_digit)) {
      return true;  // 3. May
    }
    const bool is_initial = word.size() == 1 && category(word[0]) == Category::letter &&
                            lower(word) != word && word != U"I";
    return is_initial || is_acronym(word) || is_abbreviation(word);
  }

  std::string_view text_;
  std::u32string codes_;
  std::vector<std::size_t> places_;
  std::vector<Sentence> sentences_;
};

/// Whether the text ends in a script that writes no blanks.
bool ends_unspaced(std::string_view text) {
  const std::u32string codes = code_points(text);
  return !codes.empty() && is_unspaced(codes.back());
}

}  // namespace

std::vector<Sentence> split_sentences(std::string_view paragraph) {
  return Splitter(paragraph).all();
}

std::string join_sentences(std::span<const Sentence> sentences,
                           std::span<const std::string> translations) {
  require(sentences.size() == translations.size(),
          "sentences: saw {} translations of {} sentences, needs one of each; pass them all",
          translations.size(), sentences.size());
  std::string text;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += translations[i];
    const bool is_last = i + 1 == sentences.size();
    const std::string_view gap = sentences[i].gap;
    if (is_last || translations[i].empty() || (!gap.empty() && gap != " ")) {
      text += gap;
    } else {
      text += ends_unspaced(translations[i]) ? "" : " ";
    }
  }
  return text;
}

}  // namespace heed
