// The [data] table of a recipe: which sentences train, which validate, and what counts as a token.
#pragma once

#include <string>

#include "heed/data/corpus.h"
#include "heed/nn/module.h"

namespace heed {

struct Corpora {
  VocabularyPair vocabularies;
  Corpus train;
  Corpus valid;
};

class DataPlan : public Module {
 public:
  void describe(Describer& d) override;
  /// Reads or makes the text, learns the vocabularies from the training text, encodes.
  Corpora load() const;
  /// The same with vocabularies that exist (resuming, fine-tuning).
  Corpora load(const VocabularyPair& vocabularies) const;

 private:
  struct Texts {
    std::vector<Example> train;
    std::vector<Example> valid;
  };
  Texts texts() const;
  std::vector<Example> part(Split split) const;
  Corpora encoded(Texts texts, const VocabularyPair& vocabularies) const;

  std::string synth_;  // a made-up task, or empty
  int64_t synth_seed_ = 1;
  int64_t train_examples_ = 20000;
  int64_t valid_examples_ = 1000;
  std::string train_;  // files of pairs, or with the `_target` files two files of lines
  std::string train_target_;
  std::string valid_;
  std::string valid_target_;
  std::string source_tokens_ = "characters";
  std::string target_tokens_ = "characters";
  int64_t source_vocabulary_ = 0;
  int64_t target_vocabulary_ = 0;
  int64_t min_count_ = 1;
  bool byte_fallback_ = true;
  double character_coverage_ = 0.9995;
  std::string normalise_ = "nfc";
  bool shares_vocabulary_ = false;
  int64_t max_source_ = 0;
  int64_t max_target_ = 0;
};

}  // namespace heed
