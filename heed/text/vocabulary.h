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
// table and another tokeniser. Some of its lines begin with a mark:
//
//     \\*>>fra<<          a text has this token only where it begins with that name
//     \\+<extra_id_7>     it has this one wherever it has the name         from version 4 on
//     \\-<unused 31>      no text has this one                             from version 4 on
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/subword/piece_trie.h"
#include "heed/text/tokeniser.h"

namespace heed {

/// Where a text has a token.
enum class TokenUse : std::uint8_t { in_text, in_front, anywhere, never };

class Vocabulary {
 public:
  using Uses = std::map<TokenId, TokenUse>;

  /// Special tokens come first, including those of `also`, then `tokens` in this order. Each may
  /// occur once, and none may be spelt like a special token.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, const std::vector<std::string>& tokens,
             std::span<const Special> also = {});

  /// Any tokens by id. Those that `uses` does not name are in a text where its tokeniser finds them.
  static Vocabulary of_table(std::shared_ptr<const Tokeniser> tokeniser,
                             std::vector<std::string> tokens, const SpecialTokens& specials,
                             Uses uses = {});

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
  /// cannot end a sentence.
  TokenId id(std::string_view token) const;

  struct NamesBefore {
    std::vector<std::string> names;
    std::size_t end = 0;  // of the last name and the blanks behind it, in bytes
  };
  /// The named tokens that a text begins with.
  NamesBefore names_before(std::string_view text) const;
  /// The named tokens that the text begins with, then those of the tokeniser, between named ones that
  /// may be anywhere.
  std::vector<std::string> split(std::string_view text) const;
  std::vector<TokenId> encode(std::string_view text) const;
  /// The same of a text that was split before; `names` of its tokens are named tokens.
  std::vector<TokenId> ids(std::span<const std::string> tokens, std::size_t names = 0) const;

  /// Leaves out special tokens, except that an unknown token becomes <unk>, and those that no text has.
  std::string decode(std::span<const TokenId> ids) const;

 private:
  /// What tokens may be: those of the tokeniser, or any.
  enum class Tokens : std::uint8_t { yielded, any };

  /// `tokens` by id, special ones included.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, std::vector<std::string> tokens,
             const SpecialTokens& specials, Tokens allowed, Uses uses);

  TokenUse use_of(TokenId id) const;
  int version() const;
  /// Adds the tokens of a text behind the names that it begins with.
  void split_behind(std::string_view text, std::vector<std::string>& tokens) const;
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
  Uses uses_;  // of tokens that are not just in a text
  Ids ids_;    // of tokens that are in a text, anywhere in it included
  Ids named_;  // of those in front of it
  PieceTrie anywhere_;
  std::size_t longest_name_ = 0;
};

}  // namespace heed
