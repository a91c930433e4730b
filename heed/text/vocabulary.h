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
// Version 1 had the same lines but named no special tokens; they were these three.
#pragma once

#include <cstdint>
#include <memory>
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

  /// Reads both versions. Throws an Error of kind `file` that names the line, on any byte that
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

  std::vector<TokenId> encode(std::string_view text) const;
  /// The same of a text that was split before.
  std::vector<TokenId> ids(std::span<const std::string> tokens) const;

  /// Leaves out special tokens, except that an unknown token becomes <unk>.
  std::string decode(std::span<const TokenId> ids) const;

 private:
  /// `tokens` by id, special ones included.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, std::vector<std::string> tokens,
             const SpecialTokens& specials);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::shared_ptr<const Tokeniser> tokeniser_;
  std::vector<std::string> tokens_;
  SpecialTokens specials_;
  std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> ids_;  // without the specials
};

}  // namespace heed
