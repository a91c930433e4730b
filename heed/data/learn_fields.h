// What fields of tokens learn from training text: a vocabulary for each side, or one for both.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/cells.h"
#include "heed/data/example.h"
#include "heed/data/fields.h"

namespace heed {

struct VocabularyPlan {
  std::string source = "words";  // names in the catalogue of tokenisers
  std::string target = "words";
  std::int64_t max_source = 0;  // tokens, specials included; 0: all there are
  std::int64_t max_target = 0;
  std::int64_t min_count = 1;
  // Of subwords: see VocabularyLimits.
  bool byte_fallback = true;
  double character_coverage = 0.9995;
  std::string normalise = "nfc";
  bool is_shared = false;   // one vocabulary of both sides; the tokenisers must be the same
  std::int64_t sample = 0;  // examples that are looked at, at most; 0: all
  std::vector<Special> target_specials = {};  // of the target beside end, unknown and start
};

/// Gives those of `fields` that are of tokens their vocabularies; only ever give training text. Of
/// more examples than the sample holds, one is drawn (by Philox, always the same) from each of as
/// many equal stretches.
Fields learn_fields(Fields fields, const Cells& cells, const VocabularyPlan& plan);
/// The same of texts.
Fields learn_fields(std::span<const Example> examples, const VocabularyPlan& plan);

}  // namespace heed
