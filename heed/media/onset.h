// Where the sound of a word begins, if it is known that it does so between two moments:
//
//   P_k    the mean square of the samples of block k (10 ms);   L_k = 10 log10 of the mean of P_j over |j − k| ≤ 2
//   quiet  three blocks in a row with L ≤ min L + 1.5 dB, the minimum between the two moments
//   onset  the end of the last quiet blocks; without any, the quietest block
//
// and where it ends, if it is known that it does so between two moments:
//
//   over   six blocks in a row with L ≤ max(min L + 3 dB, M − 30 dB), the minimum between the two moments,
//          M the most between the word's beginning and the first of them
//   end    the beginning of the first blocks that are over; without six of them, of the first five, four, …
//
// The level is compared with the quietest moment nearby and with the word itself only, so no threshold has to fit the noise of the
// recording.
#pragma once

#include "heed/media/sound_file.h"

namespace heed {

/// All three in seconds. Returns `until` if there is no block between the two.
double sound_onset(const SoundLevels& levels, double from, double until);
/// The end of the sound that began at `since`, all in seconds; `until` where none is over before it.
double sound_end(const SoundLevels& levels, double since, double from, double until);

/// The levels of samples in memory.
SoundLevels levels_of(const Sound& sound);

}  // namespace heed
