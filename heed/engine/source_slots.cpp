#include "heed/engine/source_slots.h"

namespace heed {

std::vector<std::string> source_slots(const TrainedModel& trained, std::string_view cell,
                                      ItemView item) {
  const std::vector<std::string> rows = trained.fields.source->labels(cell, item);
  const Model& model = *trained.model;
  const auto stride = static_cast<size_t>(model.front().stride() * model.encoder().stride());
  std::vector<std::string> slots;
  for (size_t row = 0; row < rows.size(); row += stride) {
    slots.push_back(rows[row]);
  }
  return slots;
}

}  // namespace heed
