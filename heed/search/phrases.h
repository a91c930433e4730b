// Phrases that a sentence must say, and how far it has come with them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

struct PhraseProgress {
  std::vector<bool> is_said;  // each phrase
  std::vector<size_t> begun;  // words of each unsaid phrase that the sentence ends in
  size_t words = 0;           // of phrases said, and of the unsaid one that is furthest begun
  size_t missing = 0;         // words to come: the furthest begun is ended, the others follow
};

/// What `said` holds of `phrases`: a pure function, so that no hypothesis carries anything.
PhraseProgress progress_of(std::span<const int32_t> said,
                           std::span<const std::vector<int32_t>> phrases);

/// The words that take some unsaid phrase a step further, each once, in the phrases' order.
std::vector<int32_t> words_onward(const PhraseProgress& progress,
                                  std::span<const std::vector<int32_t>> phrases);

}  // namespace heed
