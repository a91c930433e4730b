// Splits text into subwords by a model that SentencePiece learnt, without its library, because the
// library does not check models, and models come from anywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/text/subword/character_map.h"
#include "heed/text/subword/piece_model.h"
#include "heed/text/subword/piece_trie.h"

namespace heed {

class SubwordSplitter {
 public:
  explicit SubwordSplitter(PieceModel model, std::string_view who);

  /// `text` must be UTF-8. What no piece covers is spelt in bytes, or is kept as it is.
  std::vector<std::string> split(std::string_view text) const;

  /// What becomes of some characters before they are split.
  std::string mapped(std::string_view text) const;

  /// Whether `split` can give this token as a piece of the model.
  bool knows(std::string_view token) const;
  const PieceModel& model() const { return model_; }

 private:
  PieceModel model_;
  CharacterMap characters_;
  PieceTrie trie_;  // of all pieces but control ones and bytes
  PieceTrie kept_;  // of the user-defined ones
  float unknown_score_ = 0;
  bool crosses_words_ = false;
};

}  // namespace heed
