#include "heed/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, Vocabulary::specials> special_tokens = {"</s>", "<unk>",
                                                                               "<s>"};

std::string escape(std::string_view token) {
  std::string line;
  for (const char byte : token) {
    switch (byte) {
      case '\\':
        line += "\\\\";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += byte;
    }
  }
  return line;
}

/// Nothing where `line` is not what escape writes.
std::optional<std::string> unescape(std::string_view line) {
  std::string token;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char byte = line[i];
    if (byte == '\\') {
      const char next = ++i < line.size() ? line[i] : '\0';
      byte = next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
    }
    token += byte;
  }
  return escape(token) == line ? std::optional(token) : std::nullopt;
}

struct Header {
  std::string kind;
  std::size_t tokens = 0;
  std::size_t state_bytes = 0;

  std::string line() const {
    return fmt::format("heed vocabulary 1: {}, {} tokens, {} bytes of state", kind, tokens,
                       state_bytes);
  }
};

/// Reads the number between `text`'s first `before` and the next blank; 0 where there is none.
std::size_t number_after(std::string_view text, std::string_view before) {
  std::size_t number = 0;
  const std::size_t at = text.find(before);
  if (at != std::string_view::npos) {
    std::from_chars(text.data() + at + before.size(), text.data() + text.size(), number);
  }
  return number;
}

Header read_header(std::string_view line) {
  constexpr std::string_view opening = "heed vocabulary 1: ";
  Header header;
  if (line.substr(0, opening.size()) == opening) {
    const std::size_t comma = line.find(", ");
    header.kind = std::string(line.substr(opening.size(), comma - opening.size()));
    header.tokens = number_after(line, ", ");
    header.state_bytes = number_after(line, " tokens, ");
  }
  if (header.line() != line) {
    fail(Fault::file,
         "vocabulary: saw the first line \"{}\", needs one like \"{}\"; give a vocabulary that "
         "heed wrote",
         make_visible(line.substr(0, 80)), Header{"words", 5, 0}.line());
  }
  return header;
}

/// Cuts the next line off `rest`.
std::string_view next_line(std::string_view& rest, std::size_t number) {
  const std::size_t length = rest.find('\n');
  if (length == std::string_view::npos) {
    fail(Fault::file,
         "vocabulary: saw no end of line {}, needs a newline there; the file was cut short",
         number);
  }
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(length + 1);
  return line;
}

std::string read_token(std::string_view line, std::size_t number) {
  check_utf8(fmt::format("vocabulary: line {}", number), line);
  const auto token = unescape(line);
  if (!token) {
    fail(Fault::file,
         "vocabulary: saw \"{}\" on line {}, needs backslash, newline and carriage return as \\\\, "
         "\\n and \\r; "
         "write them so",
         make_visible(line), number);
  }
  return *token;
}

}  // namespace

Vocabulary::Vocabulary(std::shared_ptr<const Tokeniser> tokeniser,
                       const std::vector<std::string>& tokens)
    : tokeniser_(std::move(tokeniser)), tokens_(special_tokens.begin(), special_tokens.end()) {
  require(tokens.size() < std::numeric_limits<TokenId>::max() - specials,
          "vocabulary: saw {} tokens, more than ids; keep fewer", tokens.size());
  tokens_.reserve(tokens.size() + specials);
  ids_.reserve(tokens.size());
  for (const std::string& token : tokens) {
    const auto id = static_cast<TokenId>(tokens_.size());
    if (is_special(token) || !tokeniser_->yields(token)) {
      fail(Fault::file,
           "vocabulary: saw \"{}\" as token {}, which the tokeniser {} never yields; leave it out",
           make_visible(token), id, tokeniser_->name());
    }
    if (!ids_.emplace(token, id).second) {
      fail(Fault::file,
           "vocabulary: saw \"{}\" again as token {}, needs each token once; leave it out",
           make_visible(token), id);
    }
    tokens_.push_back(token);
  }
}

Vocabulary Vocabulary::from_bytes(std::string_view bytes) {
  std::string_view rest = bytes;
  const Header header = read_header(next_line(rest, 1));
  if (tokenisers().find(header.kind) == nullptr || header.tokens < specials) {
    fail(Fault::file,
         "vocabulary: saw {} tokens of kind \"{}\", needs at least {} of a known kind; use a newer "
         "heed",
         header.tokens, make_visible(header.kind), specials);
  }
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < header.tokens; ++i) {
    std::string token = read_token(next_line(rest, i + 2), i + 2);
    if (i >= specials) {
      tokens.push_back(std::move(token));
    } else if (token != special_tokens[i]) {
      fail(Fault::file,
           "vocabulary: saw \"{}\" on line {}, needs {}; give a vocabulary that heed wrote",
           make_visible(token), i + 2, special_tokens[i]);
    }
  }
  if (rest.size() != header.state_bytes) {
    fail(Fault::file,
         "vocabulary: saw {} bytes after the last token, needs the {} that the header promises; "
         "the file is corrupt",
         rest.size(), header.state_bytes);
  }
  std::shared_ptr<Tokeniser> tokeniser = tokenisers().make(header.kind);
  tokeniser->restore(rest);
  return {std::move(tokeniser), tokens};
}

std::string Vocabulary::to_bytes() const {
  const std::string state = tokeniser_->state();
  std::string bytes = Header{std::string(tokeniser_->name()), size(), state.size()}.line() + "\n";
  for (const std::string& token : tokens_) {
    bytes += escape(token);
    bytes += '\n';
  }
  return bytes + state;
}

bool Vocabulary::is_special(std::string_view token) {
  return std::find(special_tokens.begin(), special_tokens.end(), token) != special_tokens.end();
}

const std::string& Vocabulary::token(TokenId id) const {
  require(id >= 0 && static_cast<std::size_t>(id) < size(),
          "vocabulary: saw id {}, needs 0 to {}; pass ids of this vocabulary", id, size() - 1);
  return tokens_[static_cast<std::size_t>(id)];
}

TokenId Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? unknown : found->second;
}

std::vector<TokenId> Vocabulary::encode(std::string_view text, Append append) const {
  const std::vector<std::string> tokens = tokeniser_->split(text);
  std::vector<TokenId> ids;
  ids.reserve(tokens.size() + 1);
  for (const std::string& one : tokens) {
    ids.push_back(id(one));
  }
  if (append == Append::end) {
    ids.push_back(end);
  }
  return ids;
}

std::string Vocabulary::decode(std::span<const TokenId> ids) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const TokenId id : ids) {
    if (id != start && id != end) {
      tokens.push_back(token(id));
    }
  }
  return tokeniser_->join(tokens);
}

}  // namespace heed
