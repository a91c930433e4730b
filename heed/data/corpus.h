// Pairs of sentences as token ids, encoded once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/synth.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Which pairs to keep, in tokens without </s>; 0 sets no limit.
struct LengthLimits {
  std::int64_t max_source = 0;
  std::int64_t max_target = 0;
  double max_ratio = 0;  // of the longer to the shorter side
};

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
  bool is_shared = false;  // one vocabulary of both sides; the tokenisers must be the same
};

/// The vocabularies of these texts; only ever give training text.
VocabularyPair learn_vocabularies(std::span<const Example> examples, const VocabularyPlan& plan);

class Corpus {
 public:
  Corpus() = default;
  /// Leaves out pairs with an empty side and those beyond the limits.
  Corpus(std::vector<Example> examples, const VocabularyPair& vocabularies,
         const LengthLimits& limits = {});

  std::int64_t size() const { return static_cast<std::int64_t>(examples_.size()); }
  const Example& text(std::int64_t i) const { return examples_[static_cast<std::size_t>(i)]; }
  std::span<const TokenId> source(std::int64_t i) const { return source_.at(i); }
  std::span<const TokenId> target(std::int64_t i) const { return target_.at(i); }
  /// Pairs that were left out.
  std::int64_t dropped() const { return dropped_; }
  TokenPairs pairs(std::span<const std::int64_t> which) const;
  /// SHA-256 of all ids: equal where two corpora train alike.
  std::string hash() const;

 private:
  struct Side {
    std::vector<TokenId> ids;
    std::vector<std::size_t> ends;  // of each sentence

    std::span<const TokenId> at(std::int64_t i) const;
    void add(std::span<const TokenId> sentence);
  };

  std::vector<Example> examples_;
  Side source_;
  Side target_;
  std::int64_t dropped_ = 0;
};

}  // namespace heed
