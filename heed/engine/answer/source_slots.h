// The labels of the memory's slots in drawings: words, the slot's position in the source, or the
// row and the column of a cell of a picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/engine/answer/reply.h"
#include "heed/model/file/model_file.h"

namespace heed {

struct SourceSlots {
  std::vector<std::string> labels;
  std::vector<double> seconds;  // when each begins, and when the last ends; empty: no recording
  GridExtent grid;  // height and width of a picture's cells; 0 where the slots are no grid
};

/// One label for each slot in the model's memory of this source.
SourceSlots source_slots(const TrainedModel& trained, const ReadSource& read);

/// These slots as columns; the last is an end token if `columns_end`.
Seen seen_in(SourceSlots slots, bool columns_end);

}  // namespace heed
