// Tokens ↔ ids. The vocabulary says which of its tokens are special (special_tokens.h). A learnt
// vocabulary begins with them; then the other tokens follow, the most frequent first.
//
// As bytes, a vocabulary is lines of UTF-8: a header that names the special tokens, one token a line
// with \\ \n \r escaped, then the tokeniser's state.
//
//     heed vocabulary 2: words, 5 tokens, 0 bytes of state, end 0, unknown 1, start 2
//     </s>
//     <unk>
//     <s>
//     the
//     house
//
// Version 1 had the same lines but named no special tokens; they were these three. Version 3 is a table:
// its tokens need not be those of its tokeniser, because the other language of a model has the same
// table and another tokeniser; they may spell every text, so that there is no unknown token, and
// start may be end. A line that begins with \\* is a named token, which a text has only where it
// begins with that name, such as >>fra<< for the language to write. One that begins with \\- is a
// named token as well, and what is decoded leaves it out, such as <|en|>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/tokeniser.h"

namespace heed {

class Vocabulary {
 public:
  /// Special tokens come first, including those of `also`, then `tokens` in this order. Each may
  /// occur once, and none may be spelt like a special token.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, const std::vector<std::string>& tokens,
             std::span<const Special> also = {});

  /// Any tokens by id, `named` of them named, and `silent` ones named and left out of texts.
  static Vocabulary of_table(std::shared_ptr<const Tokeniser> tokeniser,
                             std::vector<std::string> tokens, const SpecialTokens& specials,
                             std::span<const TokenId> named = {},
                             std::span<const TokenId> silent = {});

  /// Reads every version. Throws an Error of kind `file` that names the line, on any byte that
  /// `to_bytes` would not write.
  static Vocabulary from_bytes(std::string_view bytes);
  std::string to_bytes() const;

  const SpecialTokens& specials() const { return specials_; }

  const Tokeniser& tokeniser() const { return *tokeniser_; }

  /// The number of tokens, special ones included.
  std::size_t size() const { return tokens_.size(); }

  /// Special tokens are spelt as the vocabulary spells them, usually </s>, <unk>, <s>.
  const std::string& token(TokenId id) const;

  /// The unknown token's for what is not in the vocabulary, and for text spelt like a special token: text
  /// cannot end a sentence. Fault::file if there is no unknown token.
  TokenId id(std::string_view token) const;

  struct NamesBefore {
    std::vector<std::string> names;
    std::size_t end = 0;  // of the last name and the blanks behind it, in bytes
  };
  /// The named tokens that a text begins with.
  NamesBefore names_before(std::string_view text) const;
  /// The named tokens that the text begins with, then those of the tokeniser.
  std::vector<std::string> split(std::string_view text) const;
  std::vector<TokenId> encode(std::string_view text) const;
  /// The same of a text that was split before; `names` of its tokens are named tokens.
  std::vector<TokenId> ids(std::span<const std::string> tokens, std::size_t names = 0) const;

  /// The id of a named token; nothing if there is none of this name.
  std::optional<TokenId> id_of_name(std::string_view name) const;

  /// Whether a token is part of a decoded text: neither special nor silent, or the unknown token.
  bool is_text(TokenId id) const;
  /// The text of those tokens that are part of one; an unknown token becomes <unk>.
  std::string decode(std::span<const TokenId> ids) const;

 private:
  /// What tokens may be: those of the tokeniser, or any.
  enum class Tokens : std::uint8_t { yielded, any };

  /// `tokens` by id, special ones included.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, std::vector<std::string> tokens,
             const SpecialTokens& specials, Tokens allowed, std::span<const TokenId> named,
             std::span<const TokenId> silent);

  /// The named token that the text begins with; empty if there is none.
  std::string_view name_before(std::string_view text) const;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::shared_ptr<const Tokeniser> tokeniser_;
  std::vector<std::string> tokens_;
  SpecialTokens specials_;
  Tokens allowed_;
  using Ids = std::unordered_map<std::string, TokenId, Hash, std::equal_to<>>;
  Ids ids_;    // without special and named tokens
  Ids named_;  // only those, silent ones included
  std::set<TokenId> silent_;
  std::size_t longest_name_ = 0;
};

}  // namespace heed
