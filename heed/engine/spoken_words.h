// When each word of a transcript was said, by the weights of its tokens.
//
//   token i   from the first to the last slot around its heaviest, s* = argmax_s α_is, that reach half of
//             α_is* without a gap: [seconds(first), seconds(last + 1))
//   word      from the start of its first token to the end of its last
//
// Tokens without weights have the time at which the word before them ends.
#pragma once

#include <string>
#include <vector>

#include "heed/engine/translation.h"

namespace heed {

struct SpokenWord {
  std::string text;
  double start = 0;  // seconds
  double end = 0;
};

/// Words are what blanks separate, or what the tokeniser knows as a word; tokens are the units that the
/// decoder writes. The end of sentence is neither.
enum class SpokenUnit { words, tokens };

/// Whether the transcript has weights and its source times.
bool has_times(const Translation& transcript);
/// Times are 0 where there are none.
std::vector<SpokenWord> spoken(const Translation& transcript, const TrainedModel& trained,
                               SpokenUnit unit);

}  // namespace heed
