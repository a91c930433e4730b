// Tokens ↔ ids: 0 = </s> (end), 1 = <unk> (unknown), 2 = <s> (start), then the tokens, the most
// frequent first.
//
// As bytes, a vocabulary is lines of UTF-8: a header, one token a line with \\ \n \r escaped, then
// the tokeniser's state.
//
//     heed vocabulary 1: words, 5 tokens, 0 bytes of state
//     </s>
//     <unk>
//     <s>
//     the
//     house
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

using TokenId = std::int32_t;

enum class Append { nothing, end };

class Vocabulary {
 public:
  static constexpr TokenId end = 0;
  static constexpr TokenId unknown = 1;
  static constexpr TokenId start = 2;
  static constexpr TokenId specials = 3;

  /// `tokens` get the ids from 3 on, in this order; each once, none spelt like a special token.
  Vocabulary(std::shared_ptr<const Tokeniser> tokeniser, const std::vector<std::string>& tokens);

  /// Throws an Error of kind `file` that names the line, on any byte that `to_bytes` would not
  /// write.
  static Vocabulary from_bytes(std::string_view bytes);
  std::string to_bytes() const;

  /// Whether a token is spelt </s>, <unk> or <s>.
  static bool is_special(std::string_view token);

  const Tokeniser& tokeniser() const { return *tokeniser_; }

  /// Special tokens included.
  std::size_t size() const { return tokens_.size(); }

  /// Special tokens are spelt </s>, <unk>, <s>.
  const std::string& token(TokenId id) const;

  /// `unknown` for what is not in the vocabulary, and for text spelt like a special token: text
  /// cannot end a sentence.
  TokenId id(std::string_view token) const;

  std::vector<TokenId> encode(std::string_view text, Append append = Append::nothing) const;

  /// Start and end are left out; an unknown token reads <unk>.
  std::string decode(std::span<const TokenId> ids) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::shared_ptr<const Tokeniser> tokeniser_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> ids_;  // without the specials
};

}  // namespace heed
