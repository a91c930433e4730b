#include "heed/text/subword/normalise.h"

#include <algorithm>

#include "heed/text/subword/segment.h"

namespace heed {
namespace {

/// The next character of the text, mapped, and the number of bytes it took.
CharacterMap::Match next_character(std::string_view text, const CharacterMap& map) {
  if (const auto match = map.match(text); match.length > 0) {
    return match;
  }
  const std::size_t length = character_length(text, 0);
  return {length, text.substr(0, length)};
}

/// The next piece that is kept as it is, or else the next character.
CharacterMap::Match next_part(std::string_view text, const CharacterMap& map,
                              const PieceTrie& kept) {
  const std::size_t length = kept.longest_before(text);
  return length > 0 ? CharacterMap::Match{length, text.substr(0, length)}
                    : next_character(text, map);
}

/// The text up to the next blank, or the blank itself, for models that map nothing.
CharacterMap::Match next_word(std::string_view text) {
  const std::size_t length = std::max<std::size_t>(1, std::min(text.find(' '), text.size()));
  return {length, text.substr(0, length)};
}

void drop_blanks_before(std::string_view& text, const CharacterMap& map, const PieceTrie& kept) {
  while (!text.empty()) {
    const auto match = next_part(text, map, kept);
    if (match.becomes != " ") {
      return;
    }
    text.remove_prefix(match.length);
  }
}

void drop_blanks_behind(std::string& text, std::string_view blank) {
  while (text.ends_with(blank)) {
    text.resize(text.size() - blank.size());
  }
}

class Writer {
 public:
  Writer(const PieceModel& model, std::size_t size)
      : blank_(model.marks_blanks ? blank_mark : " "),
        drops_(model.removes_extra_blanks),
        is_after_blank_(drops_) {
    out_.reserve(size + size / 2 + 8);
  }

  void add_blank() { out_ += blank_; }

  /// Adds what one character became. If extra blanks are removed, a blank after a blank is dropped.
  void add(std::string_view text) {
    while (is_after_blank_ && text.starts_with(' ')) {
      text.remove_prefix(1);
    }
    if (text.empty()) {
      return;
    }
    is_after_blank_ = drops_ && text.ends_with(' ');
    if (text.find(' ') == text.npos) {
      out_ += text;
      return;
    }
    for (const char byte : text) {
      byte == ' ' ? out_ += blank_ : out_ += byte;
    }
  }

  std::string take() {
    if (drops_) {
      drop_blanks_behind(out_, blank_);
    }
    return std::move(out_);
  }

 private:
  std::string_view blank_;
  bool drops_;
  bool is_after_blank_;
  std::string out_;
};

}  // namespace

std::string mapped(std::string_view text, const CharacterMap& map) {
  std::string out;
  while (!text.empty()) {
    const auto match = next_character(text, map);
    out += match.becomes;
    text.remove_prefix(match.length);
  }
  return out;
}

std::string normalised(std::string_view text, const PieceModel& model, const CharacterMap& map,
                       const PieceTrie& kept) {
  if (model.removes_extra_blanks) {
    drop_blanks_before(text, map, kept);
  }
  if (text.empty()) {
    return {};
  }
  Writer out(model, text.size());
  if (model.adds_blank_before) {
    out.add_blank();
  }
  while (!text.empty()) {
    const bool is_plain = map.empty() && kept.empty();
    const auto match = is_plain ? next_word(text) : next_part(text, map, kept);
    out.add(match.becomes);
    text.remove_prefix(match.length);
  }
  return out.take();
}

}  // namespace heed
