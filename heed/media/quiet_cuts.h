// Where a long recording is cut, so that no part is longer than a model can take and no word is cut in two:
//
//   P_k   the mean square of the samples of block k (10 ms);   Q_k = mean of P_j over |j − k| ≤ 10
//   cut   from the last cut c on, at the block with the least Q between c + most/2 and c + most, the first of
//         equals, until what remains is at most `most` seconds
//
// So every cut is at the quietest fifth of a second of its stretch, without a threshold that would have to
// fit the noise.
#pragma once

#include <vector>

#include "heed/media/sound_file.h"

namespace heed {

/// The cuts in seconds, ascending; none if the recording is no longer than `most_seconds`.
std::vector<double> quiet_cuts(const SoundLevels& levels, double most_seconds);

}  // namespace heed
