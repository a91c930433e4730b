// The labels of the memory's slots in drawings: words, or the slot's position in the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/model/model_file.h"

namespace heed {

/// One label for each slot in the model's memory of this cell; `item` is the cell's item.
std::vector<std::string> source_slots(const TrainedModel& trained, std::string_view cell,
                                      ItemView item);

}  // namespace heed
