// Vocabularies of folders with vocab.json, a table of tokens and ids, and a SentencePiece model for each
// language that splits its texts. Often one table serves both.
#pragma once

#include <cstdint>
#include <string>

#include "heed/import/generation.h"
#include "heed/import/model_folder.h"

namespace heed {

struct PairOfVocabularies {
  std::string source;  // as model files hold them
  std::string target;

  /// Adds them to a model's file.
  void add_to(SafetensorsFile& file) const;
};

/// vocab.json or, for the target, target_vocab.json; source.spm and target.spm. The tables must have as
/// many tokens as the settings of the model say.
PairOfVocabularies sentencepiece_pair(ModelFolder& folder, const ForeignSpecials& specials,
                                      std::int64_t source_tokens, std::int64_t target_tokens);

}  // namespace heed
