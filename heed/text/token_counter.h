// Counts the tokens of a corpus, line by line, and makes its vocabulary.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "heed/text/vocabulary.h"

namespace heed {

struct VocabularyLimits {
  std::size_t max_size = 0;   // special tokens included; 0: any number
  std::size_t min_count = 1;  // rarer tokens become <unk>
};

class TokenCounter {
 public:
  explicit TokenCounter(std::shared_ptr<const Tokeniser> tokeniser);

  void add(std::string_view text);

  /// The most frequent first, ties in code point order; what is spelt like a special token is left
  /// out.
  Vocabulary learn(const VocabularyLimits& limits = {}) const;

 private:
  std::shared_ptr<const Tokeniser> tokeniser_;
  std::unordered_map<std::string, std::size_t> counts_;
};

/// The vocabulary of these texts; `kind` is a name in the catalogue of tokenisers.
Vocabulary learn_vocabulary(std::string_view kind, std::span<const std::string> texts,
                            const VocabularyLimits& limits = {});

}  // namespace heed
