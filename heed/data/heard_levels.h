// How loud the recording of an item of the field `sound` is over time.
#pragma once

#include "heed/data/field.h"
#include "heed/media/sound_file.h"

namespace heed {

/// The levels of the item's recording, or of its stretch of one, from its beginning.
SoundLevels levels_of_item(ItemView item);

}  // namespace heed
