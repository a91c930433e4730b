// Lets a model that was trained on features made elsewhere hear recordings: its field of features
// becomes a field of sound whose front end makes the same numbers.
#pragma once

#include <string>

#include "heed/model/file/model_file.h"

namespace heed {

/// `preset` is a name of media/sound_features.h. Fault::usage unless the model reads features of
/// the width that the front end makes. `name` is the model's in messages.
void use_front_end(TrainedModel& trained, const std::string& preset, const std::string& name);

}  // namespace heed
