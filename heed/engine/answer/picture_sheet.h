// What a caption's words looked at, ready to be drawn over the picture.
#pragma once

#include <string>

#include "heed/engine/answer/answer.h"
#include "heed/see/picture_sheet.h"

namespace heed {

/// The picture of the cell as the model saw it, with the weights of every word; without the end token
/// unless `with_ends`. The translation's source must be a picture.
PictureSheet picture_sheet(const Translation& translation, const TrainedModel& trained,
                           const std::string& cell, bool with_ends);

}  // namespace heed
