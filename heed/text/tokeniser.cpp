#include "heed/text/tokeniser.h"

#include "heed/base/error.h"

namespace heed {

std::vector<std::string> Tokeniser::learn(std::span<const std::string> texts,
                                          const VocabularyLimits& limits) {
  fail("{}: saw {} texts to learn up to {} tokens from, but it learns nothing; count its tokens",
       name(), texts.size(), limits.max_size);
}

void Tokeniser::restore(std::string_view state) {
  if (!state.empty()) {
    fail(Fault::file, "{}: it has {} bytes of state, not none; the vocabulary is corrupt", name(),
         state.size());
  }
}

}  // namespace heed
