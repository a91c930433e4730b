// The vocabulary of folders whose ids are those of the pieces of a SentencePiece model. Behind the pieces
// are names that a text may have anywhere, such as <extra_id_7>, and then ids that nothing has, up to the
// number of rows of the model's tables.
#pragma once

#include <cstdint>
#include <string>

#include "heed/import/generation.h"
#include "heed/import/model_folder.h"

namespace heed {

/// One for both languages, as model files hold it. `pieces` is the file's name.
std::string vocabulary_of_pieces(ModelFolder& folder, const char* pieces,
                                 const ForeignSpecials& specials, std::int64_t tokens);

}  // namespace heed
