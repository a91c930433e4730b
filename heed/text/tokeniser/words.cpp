// words: "The  house " → The, house → "The house": split at Unicode white space, joined by a blank.
// lowercase_words: the same in lower case, "The  house " → the, house → "the house".
#include <algorithm>

#include "heed/text/letter.h"
#include "heed/text/token_spans.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class Words : public Tokeniser, public Normalises {
 public:
  std::string_view name() const override { return "words"; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8("words", text);
    std::vector<std::string> tokens;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint one = decode_utf8(text, at);
      if (is_white_space(one.code)) {
        if (at > start) {
          tokens.emplace_back(text.substr(start, at - start));
        }
        start = at + one.length;
      }
      at += one.length;
    }
    if (start < text.size()) {
      tokens.emplace_back(text.substr(start));
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += text.empty() ? "" : " ";
      text += token;
    }
    return text;
  }

  std::string surface(std::string_view token) const override {
    std::string text(1, ' ');
    return text += token;
  }

  std::string normalised(std::string_view character) const override {
    std::u32string codes = code_points(character);
    std::replace_if(codes.begin(), codes.end(), is_white_space, U' ');
    return to_utf8(codes);
  }

  bool yields(std::string_view token) const override {
    if (token.empty() || find_invalid_utf8(token)) {
      return false;
    }
    const auto tokens = split(token);
    return tokens.size() == 1 && tokens.front() == token;
  }
};

class LowercaseWords : public Words {
 public:
  std::string normalised(std::string_view character) const override {
    return to_utf8(lower(code_points(Words::normalised(character))));
  }
  std::string_view name() const override { return "lowercase_words"; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8("lowercase_words", text);
    return Words::split(to_utf8(lower(code_points(text))));
  }
};

}  // namespace

std::unique_ptr<Tokeniser> lowercase_words() { return std::make_unique<LowercaseWords>(); }
std::unique_ptr<Tokeniser> words() { return std::make_unique<Words>(); }

}  // namespace heed
