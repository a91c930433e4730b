// Where the sound of a word begins, if it is known that it does so between two moments:
//
//   P_k    the mean square of the samples of block k (10 ms);   L_k = 10 log10 of the mean of P_j over |j − k| ≤ 2
//   quiet  three blocks in a row with L ≤ min L + 1.5 dB, the minimum between the two moments
//   onset  the end of the last quiet blocks; without any, the quietest block
//
// The level is compared with the quietest moment nearby only, so no threshold has to fit the noise of the recording.
#pragma once

#include "heed/media/sound_file.h"

namespace heed {

/// All three in seconds. Returns `until` if there is no block between the two.
double sound_onset(const SoundLevels& levels, double from, double until);

/// The levels of samples in memory.
SoundLevels levels_of(const Sound& sound);

}  // namespace heed
