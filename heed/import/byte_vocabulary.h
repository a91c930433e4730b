// Vocabularies of bytes and merges (GPT-2's and Whisper's): vocab.json, merges.txt and
// added_tokens.json, or tokenizer.json, which has all three.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/import/generation.h"
#include "heed/import/model_folder.h"

namespace heed {

/// The tokens by id, and the pairs that are merged, a pair on each line. Added tokens are those that
/// no text can spell, such as <|en|>.
struct ByteVocabulary {
  std::vector<std::string> tokens;
  std::vector<TokenId> added;  // ascending
  std::string merges;

  /// The token with this text, which must be an added one; `who` asks for it.
  TokenId added_token(const std::string& text, const std::string& who) const;
  /// As model files hold it: end and start are special, and the other added tokens are named and
  /// silent. A blank is before every text, as speech is written down.
  std::string bytes(const ForeignSpecials& specials, const std::string& who) const;
};

/// As many tokens as the settings of the model say. The last may have no entry, as those of times
/// in older folders of Whisper: those behind <|notimestamps|> are <|0.00|>, <|0.02|>, ….
ByteVocabulary byte_vocabulary(ModelFolder& folder, std::int64_t count);

}  // namespace heed
