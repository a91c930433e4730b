// What a caption's words looked at, ready to be drawn over the picture, and what a transcript's
// heard, under the spectrogram.
#pragma once

#include <string>

#include "heed/engine/answer/reply.h"
#include "heed/model/file/model_file.h"
#include "heed/see/picture_sheet.h"
#include "heed/see/sound_sheet.h"

namespace heed {

/// The picture of the source as the model saw it, with the weights of every word; without the end
/// token unless `with_ends`. The source must be a picture.
PictureSheet picture_sheet(const Seen& seen, const TrainedModel& trained, const Source& source,
                           bool with_ends);

/// The features of the source as the model heard them, with the weights of every word, or of every
/// token; without the end token unless `with_ends`. The source must be a recording.
SoundSheet sound_sheet(const Seen& seen, const TrainedModel& trained, const Source& source,
                       bool with_ends);

}  // namespace heed
