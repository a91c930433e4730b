// Learns the vocabularies of token fields from training text: one for each side, or one for both.
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
  std::int64_t max_source = 0;  // tokens, special ones included; 0: all
  std::int64_t max_target = 0;
  std::int64_t min_count = 1;
  // For subwords: see VocabularyLimits.
  bool byte_fallback = true;
  double character_coverage = 0.9995;
  std::string normalise = "nfc";
  bool is_shared = false;   // one vocabulary of both sides; the tokenisers must be the same
  std::int64_t sample = 0;  // limit of examples to learn from; 0: all
  std::vector<Special> target_specials = {};  // of the target, besides end, unknown and start
};

/// Gives the token fields their vocabularies; pass training text only. If there are more examples
/// than `sample`, they are cut into `sample` equal stretches, and one example is drawn from each
/// (by Philox, always the same one).
Fields learn_fields(Fields fields, const Cells& cells, const VocabularyPlan& plan);
/// The same from texts.
Fields learn_fields(std::span<const Example> examples, const VocabularyPlan& plan);

}  // namespace heed
