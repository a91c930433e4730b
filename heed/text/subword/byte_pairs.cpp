#include "heed/text/subword/byte_pairs.h"

#include <queue>
#include <tuple>

#include "heed/base/error.h"
#include "heed/text/letter.h"
#include "heed/text/subword/byte_letters.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

enum class CharacterRun { letters, numbers, blanks, others };

CharacterRun run_of(char32_t code) {
  if (is_white_space(code)) {
    return CharacterRun::blanks;
  }
  const Category kind = category(code);
  return kind == Category::letter   ? CharacterRun::letters
         : kind == Category::number ? CharacterRun::numbers
                                    : CharacterRun::others;
}

/// The bytes of the short ending with which a text begins; 0 if it begins with none.
std::size_t short_ending(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) {
      return ending.size();
    }
  }
  return 0;
}

/// Where the characters of one kind that begin at `at` end, and where the last of them begins.
struct RunEnd {
  std::size_t end = 0;
  std::size_t last = 0;
};

RunEnd end_of_run(std::string_view text, std::size_t at, CharacterRun kind) {
  RunEnd found{at, at};
  while (found.end < text.size()) {
    const CodePoint next = decode_utf8(text, found.end);
    if (run_of(next.code) != kind) {
      break;
    }
    found.last = found.end;
    found.end += next.length;
  }
  return found;
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  if (const std::size_t ending = short_ending(text.substr(at)); ending > 0) {
    return at + ending;
  }
  const bool has_blank = text[at] == ' ' && at + 1 < text.size();
  const std::size_t first = at + (has_blank ? 1 : 0);
  const CharacterRun kind = run_of(decode_utf8(text, first).code);
  if (kind != CharacterRun::blanks) {
    return end_of_run(text, first, kind).end;
  }
  const RunEnd blanks = end_of_run(text, at, CharacterRun::blanks);
  return blanks.end == text.size() || blanks.last == at ? blanks.end : blanks.last;
}

std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) {
  return (std::uint64_t{left} << 32) | right;
}

}  // namespace

std::vector<std::string_view> byte_pair_words(std::string_view text) {
  check_utf8("byte_bpe", text);
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_word(text, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

BytePairs::BytePairs() {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    id_of(letter_of_byte(static_cast<std::uint8_t>(byte)));
  }
}

std::uint32_t BytePairs::id_of(std::string_view token) {
  const auto [at, is_new] =
      ids_.try_emplace(std::string(token), static_cast<std::uint32_t>(tokens_.size()));
  if (is_new) {
    tokens_.emplace_back(token);
  }
  return at->second;
}

void BytePairs::add(std::string_view left, std::string_view right) {
  for (const std::string_view part : {left, right}) {
    if (!knows(part)) {
      fail(Fault::file,
           "the merge of \"{}\" and \"{}\": \"{}\" is neither a byte nor what a merge before makes",
           make_visible(left.substr(0, 60)), make_visible(right.substr(0, 60)),
           make_visible(part.substr(0, 60)));
    }
  }
  const std::uint64_t pair = pair_of(id_of(left), id_of(right));
  const auto rank = static_cast<std::uint32_t>(merges_.size());
  if (!merges_.try_emplace(pair, Merge{rank, 0}).second) {
    fail(Fault::file, "the merge of \"{}\" and \"{}\" is there twice",
         make_visible(left.substr(0, 60)), make_visible(right.substr(0, 60)));
  }
  merges_.at(pair).id = id_of(std::string(left) + std::string(right));
}

const BytePairs::Merge* BytePairs::merge_of(std::uint32_t left, std::uint32_t right) const {
  const auto found = merges_.find(pair_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairs::split(std::string_view word, std::vector<std::string>& tokens) const {
  constexpr std::uint32_t gone = 0xFFFFFFFF;
  struct Part {
    std::uint32_t id;
    std::size_t before;  // the parts beside it; the word's size: there is none
    std::size_t after;
  };
  struct Wish {
    std::uint32_t rank;
    std::size_t at;
    std::uint32_t left;
    std::uint32_t right;
    bool operator>(const Wish& other) const {
      return std::tie(rank, at) > std::tie(other.rank, other.at);
    }
  };
  const std::size_t none = word.size();
  std::vector<Part> parts;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(word[i]);
    parts.push_back({byte, i == 0 ? none : i - 1, i + 1});
  }
  std::priority_queue<Wish, std::vector<Wish>, std::greater<>> wishes;
  const auto wish = [&](std::size_t at) {
    if (at == none || parts[at].after == none) {
      return;
    }
    const std::uint32_t left = parts[at].id;
    const std::uint32_t right = parts[parts[at].after].id;
    if (const Merge* merge = merge_of(left, right)) {
      wishes.push({merge->rank, at, left, right});
    }
  };
  for (std::size_t i = 0; i < word.size(); ++i) {
    wish(i);
  }
  while (!wishes.empty()) {
    const Wish best = wishes.top();
    wishes.pop();
    Part& left = parts[best.at];
    if (left.id != best.left || left.after == none || parts[left.after].id != best.right) {
      continue;  // another merge has taken one of them
    }
    Part& right = parts[left.after];
    left.id = merge_of(best.left, best.right)->id;
    left.after = right.after;
    right.id = gone;
    if (left.after != none) {
      parts[left.after].before = best.at;
    }
    wish(best.at);
    wish(left.before);
  }
  for (std::size_t at = 0; at < word.size(); at = parts[at].after) {
    tokens.push_back(tokens_[parts[at].id]);
  }
}

}  // namespace heed
