// The options of one sentence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "heed/attention/attention_changes.h"
#include "heed/search/sentence_settings.h"

namespace heed {

/// The key of the random draws of a part of a line, whatever batch it is in.
constexpr int64_t number_of_part(int64_t line, int64_t part = 0) { return (line << 20) + part; }

/// What if the main decoder looked elsewhere while it chooses a word.
struct ChangeAtStep {
  int64_t step = -1;            // 0 chooses the first word; −1: every step
  AttentionChange change = {};  // its row is that of each hypothesis
};

/// What a sentence must say and what is changed is in ids, positions and slots. A change of a block, head or
/// slot that there is not changes nothing, nor does a word behind the end.
struct SentenceOptions {
  int64_t number = 0;  // the key of its random draws, whatever batch it is in
  /// The words before the output, which cost nothing, count for nothing, and obey no rule: at each
  /// place the likeliest of some. They are the first words of a hypothesis.
  std::vector<std::vector<int32_t>> start = {};
  std::vector<int32_t> prefix = {};                // the words it begins with
  std::vector<std::vector<int32_t>> phrases = {};  // phrases it must contain (`constrained`)
  std::map<int64_t, int32_t> given = {};           // words at positions, whatever else is likelier
  std::vector<ChangeAtStep> changes = {};
  std::optional<uint64_t> seed = {};              // of its random draws; none: the search's seed
  std::optional<SentenceSettings> settings = {};  // how it is searched; none: as the search says
};

/// Fault::usage if it must say what no output contains. `vocabulary` is the number of words; 0: any.
void check_words(const SentenceOptions& own, const SpecialTokens& specials, int64_t vocabulary);
/// Fault::usage where changes of attention name no step, block, head or slot, or a weight is no number.
void check_changes(const SentenceOptions& own);

}  // namespace heed
