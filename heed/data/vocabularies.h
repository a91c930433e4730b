// The vocabularies of a corpus: one for each side, or one for both.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heed/data/pair_texts.h"
#include "heed/data/synth.h"
#include "heed/text/vocabulary.h"

namespace heed {

struct VocabularyPair {
  std::shared_ptr<const Vocabulary> source;
  std::shared_ptr<const Vocabulary> target;  // the same object where one serves both
};

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
  std::int64_t sample = 0;  // pairs that are looked at, at most; 0: all
};

/// The vocabularies of these texts; only ever give training text. Of more pairs than the sample
/// holds, one is drawn (by Philox, always the same) from each of as many equal stretches.
VocabularyPair learn_vocabularies(const PairTexts& texts, const VocabularyPlan& plan);
VocabularyPair learn_vocabularies(std::span<const Example> examples, const VocabularyPlan& plan);

}  // namespace heed
