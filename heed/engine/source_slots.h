// What a drawing writes beside each slot of the memory: words, or where in the source it begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/model/model_file.h"

namespace heed {

/// One label for each slot that this cell, whose item is known, has in the model's memory.
std::vector<std::string> source_slots(const TrainedModel& trained, std::string_view cell,
                                      ItemView item);

}  // namespace heed
