// "the house's" → the, Ġhouse, 's → "the house's": the bytes of a text, merged into subwords by a
// list of pairs (subword/byte_pairs.h), as in GPT-2 and Whisper. Every text can be spelt, and comes
// back byte for byte. A token spells bytes by letters (subword/byte_letters.h): Ġ is a blank.
//
// The list comes with an imported model; without one each byte is a token. The state is the list, a
// pair on each line:
//
//     heed byte pairs 1: 2 merges, as it is, sha256 0123…
//     t h
//     th e
//
// "blank before" instead of "as it is" says that a text is split as if a blank were before it, which
// is left out again when its tokens are joined.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/text/script.h"
#include "heed/text/subword/byte_letters.h"
#include "heed/text/subword/byte_pairs.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

/// How many bytes from `at` on, which are no character, begin one: the second byte's range depends
/// on the first (Unicode 16, table 3-7), those behind it are 80 to BF.
std::size_t begun_character(std::string_view bytes, std::size_t at) {
  const auto byte = [&bytes](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : std::uint8_t{0};
  };
  const std::uint8_t first = byte(at);
  const std::size_t whole = first >= 0xF0 && first <= 0xF4   ? 4
                            : first >= 0xE0 && first <= 0xEF ? 3
                                                             : 1;
  const std::uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  std::size_t count = 1;
  if (whole > 1 && byte(at + 1) >= least && byte(at + 1) <= most) {
    ++count;
    while (count + 1 < whole && byte(at + count) >= 0x80 && byte(at + count) <= 0xBF) {
      ++count;
    }
  }
  return count;
}

/// Replaces what is not UTF-8 by U+FFFD, one for a character that was begun, as Unicode recommends.
std::string mended_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, at).length;
    out += length == 0 ? "\uFFFD" : bytes.substr(at, length);
    at += length == 0 ? begun_character(bytes, at) : length;
  }
  return out;
}

class ByteBpe : public Tokeniser, public WordPieces {
 public:
  std::string_view name() const override { return "byte_bpe"; }

  std::vector<std::string> split(std::string_view text) const override {
    const std::string whole = (has_blank_before_ && !text.empty() ? " " : "") + std::string(text);
    std::vector<std::string> tokens;
    for (const std::string_view word : byte_pair_words(whole)) {
      pairs_.split(word, tokens);
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += surface(token);
    }
    const bool has_blank = has_blank_before_ && text.starts_with(' ');
    return mended_utf8(has_blank ? std::string_view(text).substr(1) : text);
  }

  std::string surface(std::string_view token) const override { return bytes_of_letters(token); }

  /// A blank begins a word, and so does each character of a script without blanks.
  bool begins_word(std::string_view token) const override {
    const std::string bytes = surface(token);
    if (bytes.empty() || bytes.front() == ' ') {
      return true;
    }
    const CodePoint first = decode_utf8(bytes, 0);
    // The lead byte of a character from U+3000 on, past the alphabets, may be a token by itself.
    return first.length == 0 ? static_cast<std::uint8_t>(bytes.front()) >= 0xE3
                             : is_unspaced(first.code);
  }

  bool yields(std::string_view token) const override { return pairs_.knows(token); }

  std::string state() const override {
    return list_.empty() && !has_blank_before_ ? "" : header(list_) + list_;
  }

  void restore(std::string_view state) override {
    if (state.empty()) {
      return;
    }
    const std::size_t end = state.find('\n');
    const std::string_view list = end == std::string_view::npos ? "" : state.substr(end + 1);
    has_blank_before_ = state.substr(0, end).find(", blank before,") != std::string_view::npos;
    if (end == std::string_view::npos || header(list) != state.substr(0, end + 1)) {
      fail(Fault::file,
           "byte_bpe: the merges under \"{}\" are not those that this line promises; the "
           "vocabulary is corrupt",
           make_visible(state.substr(0, std::min<std::size_t>(end, 120))));
    }
    take(std::string(list), has_blank_before_, "byte_bpe");
  }

  /// Uses these merges, a pair on each line.
  void take(std::string list, bool has_blank_before, const std::string& who) {
    has_blank_before_ = has_blank_before;
    std::string_view rest = list;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      const std::size_t blank = line.find(' ');
      if (end == rest.size() || blank == std::string_view::npos ||
          line.find(' ', blank + 1) != std::string_view::npos) {
        fail(Fault::file, "{}: merge {}, \"{}\", is no pair of tokens with a blank between them",
             who, number, make_visible(line.substr(0, 60)));
      }
      try {
        pairs_.add(line.substr(0, blank), line.substr(blank + 1));
      } catch (const Error& error) {
        fail(Fault::file, "{}: {}; get the file again", who, error.what());
      }
      rest.remove_prefix(end + 1);
    }
    list_ = std::move(list);
  }

 private:
  std::string header(std::string_view list) const {
    return fmt::format("heed byte pairs 1: {} merges, {}, sha256 {}\n",
                       std::count(list.begin(), list.end(), '\n'),
                       has_blank_before_ ? "blank before" : "as it is", sha256_hex(list));
  }

  bool has_blank_before_ = false;
  std::string list_;
  BytePairs pairs_;
};

}  // namespace

std::unique_ptr<Tokeniser> byte_bpe() { return std::make_unique<ByteBpe>(); }

std::unique_ptr<Tokeniser> tokeniser_of_merges(std::string list, bool has_blank_before,
                                               const std::string& who) {
  auto made = std::make_unique<ByteBpe>();
  made->take(std::move(list), has_blank_before, who);
  return made;
}

}  // namespace heed
