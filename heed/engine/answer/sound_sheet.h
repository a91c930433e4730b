// What a transcript's words heard, ready to be drawn under the spectrogram.
#pragma once

#include <string>

#include "heed/engine/answer/answer.h"
#include "heed/see/sound_sheet.h"

namespace heed {

/// The features of the cell as the model heard them, with the weights of every word, or of every token;
/// without the end token unless `with_ends`. The translation's source must be a recording.
SoundSheet sound_sheet(const Translation& translation, const TrainedModel& trained,
                       const std::string& cell, bool with_ends);

}  // namespace heed
