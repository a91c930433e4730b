// Counts the tokens of a corpus, line by line, and makes its vocabulary. For a tokeniser that
// learns its tokens from text, it keeps the lines instead.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

class TokenCounter {
 public:
  explicit TokenCounter(std::shared_ptr<Tokeniser> tokeniser);

  void add(std::string_view text);

  /// The vocabulary: the most frequent token first, ties in code point order, without tokens that
  /// are spelt like a special one. Subwords are in the order in which they were learnt.
  Vocabulary learn(const VocabularyLimits& limits = {}) const;

 private:
  std::vector<std::string> counted(const VocabularyLimits& limits) const;

  std::shared_ptr<Tokeniser> tokeniser_;
  std::vector<std::string> texts_;  // only where the tokeniser learns
  std::unordered_map<std::string, std::size_t> counts_;
};

/// The vocabulary of these texts; `kind` is a name in the catalogue of tokenisers.
Vocabulary learn_vocabulary(std::string_view kind, std::span<const std::string> texts,
                            const VocabularyLimits& limits = {});

}  // namespace heed
