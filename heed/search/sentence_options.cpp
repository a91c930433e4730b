#include "heed/search/sentence_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed {

void check_words(const SentenceOptions& own, const SpecialTokens& specials, int64_t vocabulary) {
  constexpr int64_t most = std::numeric_limits<TokenId>::max();
  const int64_t last = vocabulary > 0 ? vocabulary - 1 : most;
  const std::vector<TokenId> suppressed = suppressed_words(specials, *own.settings);
  const auto check = [&](TokenId word, const char* what) {
    if (word < 0 || word > last) {
      fail(Fault::usage, "search: {} has the word {}; choose 0 to {}", what, word, last);
    }
    if (std::binary_search(suppressed.begin(), suppressed.end(), word)) {
      fail(Fault::usage,
           "search: {} has the special token {}, which no output contains; choose another", what,
           word);
    }
  };
  for (const auto& some : own.start) {
    if (some.empty()) {
      fail(Fault::usage, "search: there is no word to choose from at a place of the start");
    }
    for (const TokenId word : some) {
      check(word, "the start");
    }
  }
  for (const TokenId word :
       own.prefix) {  // that of a language model may have words it does not know
    if (word != specials.unknown()) {
      check(word, "the prefix");
    }
  }
  for (const auto& phrase : own.phrases) {
    for (const TokenId word : phrase) {
      check(word, "a phrase");
    }
  }
  for (const auto& [position, word] : own.given) {
    if (position < 0) {
      fail(Fault::usage, "search: a word is given at position {}; choose 0 or more", position);
    }
    check(word, "what is given at a position");
  }
}

void check_changes(const SentenceOptions& own) {
  const auto is_slot = [](int32_t slot) { return slot >= 0; };
  const auto is_number = [](float weight) { return std::isfinite(weight); };
  for (const ChangeAtStep& one : own.changes) {
    const AttentionChange& change = one.change;
    if (one.step < -1 || change.block < 0 || change.head < -1 ||
        !std::all_of(change.closed.begin(), change.closed.end(), is_slot)) {
      fail(Fault::usage,
           "search: a change of attention names step {}, block {} and head {}; choose a step and a "
           "head of 0 or more or -1 for all, and blocks and slots of 0 or more",
           one.step, change.block, change.head);
    }
    if (!std::all_of(change.given.begin(), change.given.end(), is_number)) {
      fail(Fault::usage, "search: a weight that is given is not finite; give numbers");
    }
  }
}

}  // namespace heed
