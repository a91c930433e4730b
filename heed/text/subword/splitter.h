// Text to subwords by a model that SentencePiece learnt, without its library: the library believes
// whatever stands in a model, and models come from strangers.
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

  /// `text` is UTF-8. What no piece covers is spelt in bytes, or stays as it is.
  std::vector<std::string> split(std::string_view text) const;

  /// Whether `split` may give this token as a piece that the model knows.
  bool knows(std::string_view token) const;
  const PieceModel& model() const { return model_; }

 private:
  PieceModel model_;
  CharacterMap characters_;
  PieceTrie trie_;
  float unknown_score_ = 0;
  bool crosses_words_ = false;
};

}  // namespace heed
