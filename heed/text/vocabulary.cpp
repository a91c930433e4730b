#include "heed/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

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
  int version = 2;
  std::string kind;
  std::size_t tokens = 0;
  std::size_t state_bytes = 0;
  SpecialTokens specials;

  std::string line() const {
    std::string text = fmt::format("heed vocabulary {}: {}, {} tokens, {} bytes of state", version,
                                   kind, tokens, state_bytes);
    for (const SpecialName& one : special_names) {
      if (version > 1 && specials.has(one.which)) {
        text += fmt::format(", {} {}", one.name, specials.at(one.which));
      }
    }
    return text;
  }
};

/// Reads the number after the first `before` in `text`; 0 if there is none.
std::size_t number_after(std::string_view text, std::string_view before) {
  std::size_t number = 0;
  const std::size_t at = text.find(before);
  if (at != std::string_view::npos) {
    std::from_chars(text.data() + at + before.size(), text.data() + text.size(), number);
  }
  return number;
}

/// The special tokens that a header names from version 2 on.
SpecialTokens specials_in(std::string_view line) {
  SpecialTokens specials;
  for (const SpecialName& one : special_names) {
    const std::string before = fmt::format(", {} ", one.name);
    const bool is_there = line.find(before) != std::string_view::npos;
    specials.set(one.which,
                 is_there ? static_cast<TokenId>(std::min<std::size_t>(
                                number_after(line, before), std::numeric_limits<TokenId>::max()))
                          : SpecialTokens::none);
  }
  return specials;
}

Header read_header(std::string_view line) {
  constexpr std::string_view opening = "heed vocabulary 1: ";
  const std::size_t version =
      line.size() > opening.size() ? number_after(line, "heed vocabulary ") : 0;
  Header header;
  if (version >= 1 && version <= 4) {
    const std::size_t comma = std::max(std::min(line.find(", "), line.size()), opening.size());
    header.version = static_cast<int>(version);
    header.kind = std::string(line.substr(opening.size(), comma - opening.size()));
    header.tokens = number_after(line, ", ");
    header.state_bytes = number_after(line, " tokens, ");
    header.specials = version == 1 ? SpecialTokens() : specials_in(line);
  }
  if (header.line() != line) {
    fail(Fault::file,
         "vocabulary: the first line is \"{}\", not one like \"{}\"; give a vocabulary that heed "
         "wrote",
         make_visible(line.substr(0, 80)), Header{2, "words", 5, 0, SpecialTokens()}.line());
  }
  return header;
}

/// Fails unless the vocabulary names end, unknown and start, each special token is one of its
/// tokens, and no two are the same.
void check_specials(const SpecialTokens& specials, std::size_t tokens) {
  for (const SpecialName& one : special_names) {
    const TokenId id = specials.at(one.which);
    const bool is_needed = one.which <= Special::start;
    if (is_needed ? id < 0 || static_cast<std::size_t>(id) >= tokens
                  : id != SpecialTokens::none && static_cast<std::size_t>(id) >= tokens) {
      fail(Fault::file,
           "vocabulary: the special token {1} is {2}, which is not among its {0} tokens; the file "
           "is corrupt",
           tokens, one.name, id == SpecialTokens::none ? "none" : std::to_string(id));
    }
  }
  const std::vector<TokenId> ids = specials.ids();
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
    fail(Fault::file, "vocabulary: one token stands for two special ones; the file is corrupt");
  }
}

/// The special tokens of version 1, which always had these spellings.
void check_spelling(const std::vector<std::string>& tokens) {
  const std::vector<std::string> usual = usual_spellings(SpecialTokens());
  for (std::size_t i = 0; i < usual.size(); ++i) {
    if (tokens[i] != usual[i]) {
      fail(Fault::file,
           "vocabulary: \"{}\" is on line {}, not {}; give a vocabulary that heed wrote",
           make_visible(tokens[i]), i + 2, usual[i]);
    }
  }
}

/// Cuts the next line off `rest`.
std::string_view next_line(std::string_view& rest, std::size_t number) {
  const std::size_t length = rest.find('\n');
  if (length == std::string_view::npos) {
    fail(Fault::file, "vocabulary: line {} has no end; the file was cut short", number);
  }
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(length + 1);
  return line;
}

/// What a line of a token with this use begins with, which no token's escaped bytes do.
struct UseMark {
  TokenUse use;
  std::string_view mark;
  int version;  // the first that has it
};
constexpr std::array<UseMark, 3> use_marks = {
    {{TokenUse::in_front, "\\*", 3}, {TokenUse::anywhere, "\\+", 4}, {TokenUse::never, "\\-", 4}}};

/// Cuts the mark off a line; nothing if it has none of this version.
std::optional<TokenUse> use_before(std::string_view& line, int version) {
  for (const UseMark& one : use_marks) {
    if (version >= one.version && line.starts_with(one.mark)) {
      line.remove_prefix(one.mark.size());
      return one.use;
    }
  }
  return std::nullopt;
}

std::string read_token(std::string_view line, std::size_t number) {
  check_utf8(fmt::format("vocabulary: line {}", number), line);
  const auto token = unescape(line);
  if (!token) {
    fail(Fault::file,
         "vocabulary: \"{}\" on line {} must have backslash, newline and carriage return as \\\\, "
         "\\n and \\r; write them so",
         make_visible(line), number);
  }
  return *token;
}

/// The special tokens, numbered from 0 on, and then `tokens`.
std::vector<std::string> with_specials(const std::vector<std::string>& tokens,
                                       const SpecialTokens& specials) {
  std::vector<std::string> all = usual_spellings(specials);
  all.insert(all.end(), tokens.begin(), tokens.end());
  return all;
}

}  // namespace

Vocabulary::Vocabulary(std::shared_ptr<const Tokeniser> tokeniser,
                       const std::vector<std::string>& tokens, std::span<const Special> also)
    : Vocabulary(std::move(tokeniser), with_specials(tokens, SpecialTokens(also)),
                 SpecialTokens(also), Tokens::yielded, {}) {}

Vocabulary Vocabulary::of_table(std::shared_ptr<const Tokeniser> tokeniser,
                                std::vector<std::string> tokens, const SpecialTokens& specials,
                                Uses uses) {
  check_specials(specials, tokens.size());
  return {std::move(tokeniser), std::move(tokens), specials, Tokens::any, std::move(uses)};
}

Vocabulary::Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, std::vector<std::string> tokens,
                       const SpecialTokens& specials, Tokens allowed, Uses uses)
    : tokeniser_(std::move(tokeniser)),
      tokens_(std::move(tokens)),
      specials_(specials),
      allowed_(allowed),
      uses_(std::move(uses)) {
  require(
      tokens_.size() < std::numeric_limits<TokenId>::max(),
      "vocabulary: {} tokens are too many; keep fewer than {}, because each has an id of 32 bits",
      tokens_.size(), std::numeric_limits<TokenId>::max());
  std::set<std::string_view> reserved;
  for (const TokenId id : specials_.ids()) {
    reserved.insert(token(id));
  }
  ids_.reserve(tokens_.size());
  std::set<std::string_view> others;  // that no text has
  for (TokenId id = 0; id < static_cast<TokenId>(tokens_.size()); ++id) {
    if (specials_.contains(id)) {
      continue;
    }
    const std::string& token = tokens_[static_cast<std::size_t>(id)];
    const bool is_possible = allowed_ == Tokens::any ? !token.empty() : tokeniser_->yields(token);
    if (reserved.count(token) > 0 || !is_possible) {
      fail(Fault::file,
           "vocabulary: \"{}\" is token {}, which the tokeniser {} never yields; leave it out",
           make_visible(token), id, tokeniser_->name());
    }
    if (ids_.count(token) + named_.count(token) + others.count(token) > 0) {
      fail(Fault::file, "vocabulary: \"{}\" appears again as token {}; leave it out",
           make_visible(token), id);
    }
    const TokenUse use = use_of(id);
    if (use == TokenUse::never) {
      others.insert(token);
      continue;
    }
    (use == TokenUse::in_front ? named_ : ids_).emplace(token, id);
    longest_name_ = std::max(longest_name_, use == TokenUse::in_front ? token.size() : 0);
    if (use == TokenUse::anywhere) {
      anywhere_.add(token, id);
    }
  }
  const auto separator = ids_.find(std::string_view(" "));
  specials_.set_separator(separator == ids_.end() ? SpecialTokens::none : separator->second);
  if (reserved.size() != specials_.count()) {
    fail(Fault::file, "vocabulary: two special tokens are spelt alike; spell one otherwise");
  }
}

Vocabulary Vocabulary::from_bytes(std::string_view bytes) {
  std::string_view rest = bytes;
  const Header header = read_header(next_line(rest, 1));
  const std::size_t least = SpecialTokens().count();
  if (tokenisers().find(header.kind) == nullptr || header.tokens < least) {
    fail(Fault::file,
         "vocabulary: {} tokens of kind \"{}\" are not possible: at least {} of a known kind; use "
         "a newer heed",
         header.tokens, make_visible(header.kind), least);
  }
  check_specials(header.specials, header.tokens);
  std::vector<std::string> tokens;
  Uses uses;
  for (std::size_t i = 0; i < header.tokens; ++i) {
    std::string_view line = next_line(rest, i + 2);
    const auto id = static_cast<TokenId>(i);
    if (const auto use =
            header.specials.contains(id) ? std::nullopt : use_before(line, header.version)) {
      uses[id] = *use;
    }
    tokens.push_back(read_token(line, i + 2));
  }
  if (header.version == 1) {
    check_spelling(tokens);
  }
  if (rest.size() != header.state_bytes) {
    fail(Fault::file,
         "vocabulary: there are {} bytes after the last token, not the {} that the header "
         "promises; the file is corrupt",
         rest.size(), header.state_bytes);
  }
  std::shared_ptr<Tokeniser> tokeniser = tokenisers().make(header.kind);
  tokeniser->restore(rest);
  const Tokens allowed = header.version >= 3 ? Tokens::any : Tokens::yielded;
  Vocabulary read(std::move(tokeniser), std::move(tokens), header.specials, allowed,
                  std::move(uses));
  if (header.version >= 3 && read.version() != header.version) {
    fail(
        Fault::file,
        "vocabulary: version {} has a mark \\+ or \\- on some line, and this has none; the file is "
        "corrupt",
        header.version);
  }
  return read;
}

TokenUse Vocabulary::use_of(TokenId id) const {
  const auto found = uses_.find(id);
  return found == uses_.end() ? TokenUse::in_text : found->second;
}

int Vocabulary::version() const {
  const bool is_newest = std::any_of(uses_.begin(), uses_.end(), [](const auto& one) {
    return one.second == TokenUse::anywhere || one.second == TokenUse::never;
  });
  return is_newest ? 4 : allowed_ == Tokens::any ? 3 : 2;
}

std::string Vocabulary::to_bytes() const {
  const std::string state = tokeniser_->state();
  const Header header{version(), std::string(tokeniser_->name()), size(), state.size(), specials_};
  std::string bytes = header.line() + "\n";
  for (TokenId id = 0; id < static_cast<TokenId>(tokens_.size()); ++id) {
    const TokenUse use = use_of(id);
    for (const UseMark& one : use_marks) {
      bytes += one.use == use ? one.mark : "";
    }
    bytes += escape(tokens_[static_cast<std::size_t>(id)]);
    bytes += '\n';
  }
  return bytes + state;
}

const std::string& Vocabulary::token(TokenId id) const {
  require(id >= 0 && static_cast<std::size_t>(id) < size(),
          "vocabulary: saw id {}, needs 0 to {}; pass ids of this vocabulary", id, size() - 1);
  return tokens_[static_cast<std::size_t>(id)];
}

TokenId Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? specials_.unknown() : found->second;
}

std::string_view Vocabulary::name_before(std::string_view text) const {
  for (std::size_t size = std::min(longest_name_, text.size()); size > 0; --size) {
    if (named_.find(text.substr(0, size)) != named_.end()) {
      return text.substr(0, size);
    }
  }
  return {};
}

Vocabulary::NamesBefore Vocabulary::names_before(std::string_view text) const {
  NamesBefore found;
  for (std::string_view name = name_before(text); !name.empty();
       name = name_before(text.substr(found.end))) {
    found.names.emplace_back(name);
    found.end = std::min(text.find_first_not_of(' ', found.end + name.size()), text.size());
  }
  return found;
}

std::vector<std::string> Vocabulary::split(std::string_view text) const {
  NamesBefore found = names_before(text);
  std::vector<std::string> tokens = std::move(found.names);
  split_behind(text.substr(found.end), tokens);
  return tokens;
}

void Vocabulary::split_behind(std::string_view text, std::vector<std::string>& tokens) const {
  const auto add = [&](std::string_view part) {
    std::vector<std::string> own = tokeniser_->split(part);
    tokens.insert(tokens.end(), std::make_move_iterator(own.begin()),
                  std::make_move_iterator(own.end()));
  };
  for (std::size_t at = anywhere_.empty() ? text.size() : 0; at < text.size();) {
    const std::size_t name = anywhere_.longest_before(text.substr(at));
    if (name == 0) {
      ++at;
      continue;
    }
    add(text.substr(0, at));
    tokens.emplace_back(text.substr(at, name));
    text.remove_prefix(at + name);
    at = 0;
  }
  add(text);
}

std::vector<TokenId> Vocabulary::encode(std::string_view text) const {
  return ids(split(text), names_before(text).names.size());
}

std::vector<TokenId> Vocabulary::ids(std::span<const std::string> tokens, std::size_t names) const {
  std::vector<TokenId> all;
  all.reserve(tokens.size());
  for (const std::string& one : tokens) {
    const auto name = all.size() < names ? named_.find(one) : named_.end();
    all.push_back(name == named_.end() ? id(one) : name->second);
  }
  return all;
}

std::string Vocabulary::decode(std::span<const TokenId> ids) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const TokenId id : ids) {
    const bool is_hidden = specials_.contains(id) || use_of(id) == TokenUse::never;
    if (id == specials_.unknown() || !is_hidden) {
      tokens.push_back(token(id));
    }
  }
  return tokeniser_->join(tokens);
}

}  // namespace heed
