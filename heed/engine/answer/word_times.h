// When each word of a transcript was said, by the weights of its tokens.
//
//   token i   from the first to the last slot around its heaviest, s* = argmax_s α_is, that reach half of
//             α_is* without a gap: [seconds(first), seconds(last + 1)), minus what the model is late by
//   word      from the start of its first token to the end of its last; a word of one token, whose weights say
//             when it is heard but not how long it lasts, at least to the next word, but for half a second at most,
//             unless words end where their sound does
//
// Tokens without weights have the time at which the word before them ends.
#pragma once

#include <string>
#include <vector>

#include "heed/engine/answer/reply.h"
#include "heed/media/sound_file.h"
#include "heed/model/file/model_file.h"

namespace heed {

struct SpokenWord {
  std::string text;
  double start = 0;  // seconds
  double end = 0;
};

/// Words are what blanks separate, or what the tokeniser knows as a word; tokens are the units that
/// the decoder writes. The end of sentence is neither.
enum class SpokenUnit { words, tokens };

/// The time of every token, given the weights [tokens, S] and when each of the S slots begins and
/// the last ends. Empty without seconds.
std::vector<HeardTime> heard_times(const WeightMatrix& weights, const std::vector<double>& seconds);
/// Lets every word begin where the sound rises (media/onset.h) between the token before it, a blank
/// from its start and another from its end, and the time of its own first token. The levels begin
/// with the transcript's first second.
void begin_with_sound(Seen& transcript, const TrainedModel& trained, const SoundLevels& levels);
/// Lets every word end where the sound falls (media/onset.h) between its own last token and the start of
/// the next word, or the end of the recording.
void end_with_sound(Seen& transcript, const TrainedModel& trained, const SoundLevels& levels);
/// Takes `late` seconds off all times; nothing begins before the recording.
void take_off(Seen& transcript, double late);

/// Whether the transcript has the times of its tokens.
bool has_times(const Seen& transcript);
/// Times are 0 where there are none.
std::vector<SpokenWord> spoken(const Seen& transcript, const TrainedModel& trained,
                               SpokenUnit unit);

}  // namespace heed
